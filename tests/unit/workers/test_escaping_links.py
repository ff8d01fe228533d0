"""Which links lead out of a tree, and that finding it out costs next to nothing."""

from tests.conftest import spent
from workers.freezing.escaping_links import MOST_STEPS, escaping_links


def _taken_apart(links: dict[bytes, bytes]) -> list[list[bytes]]:
    return [text.split(b"/") for text in links.values()]


def test_links_that_walk_deep_and_back_to_one_another_cost_a_moment() -> None:
    """Followed one by one, these took more than an hour."""
    text = b"d/" * 800 + b"../" * 800
    links = {b"l%05d" % i: text + b"l%05d" % ((i + 1) % 20_000) for i in range(20_000)}
    assert escaping_links(links) == frozenset(links)
    assert spent(lambda: escaping_links(links)) < 10 * spent(lambda: _taken_apart(links))


def test_a_chain_of_ever_longer_texts_costs_no_memory() -> None:
    links = {b"l%05d" % i: b"l%05d/" % (i + 1) + b"x/" * 1_000 for i in range(20_000)}
    assert len(escaping_links(links)) > 19_000
    assert spent(lambda: escaping_links(links)) < 10 * spent(lambda: _taken_apart(links))


def test_as_many_hops_as_linux_follows_are_followed() -> None:
    forty = {b"l%02d" % i: b"l%02d" % (i + 1) for i in range(40)}
    assert escaping_links(forty) == frozenset()
    more = {b"l%02d" % i: b"l%02d" % (i + 1) for i in range(41)}
    assert escaping_links(more) == {b"l00"}


def test_a_link_behind_a_loop_leaves_and_one_beside_it_stays() -> None:
    links = {b"a": b"b", b"b": b"a", b"c": b"b/x", b"d": b"e", b"f": b"d/../g"}
    assert escaping_links(links) == {b"a", b"b", b"c"}


def test_ordinary_links_are_followed_whatever_their_number() -> None:
    links = {b"bin/tool%05d" % i: b"../pkg/tool" for i in range(MOST_STEPS // 10)}
    assert escaping_links(links) == frozenset()
