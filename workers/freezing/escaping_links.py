"""Which symbolic links of a tree lead out of it, found in time and memory that judged code can't
choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_MOST_HOPS = 40
"""What Linux follows in one look-up."""

MOST_STEPS = 200_000
"""Parts of paths and texts that are walked for one tree: ten for each of 20,000 links."""


def escaping_links(links: Mapping[bytes, bytes]) -> frozenset[bytes]:
    """The paths of those links that lead, or may lead, out of the tree.

    `links` maps the path of every link to its text. Each is followed through the others, since a
    harmless looking text can leave by way of a second link. Loops and chains of more than 40
    links count as leaving, and so does, in order of paths, what is beyond MOST_STEPS.
    """
    walk = _Walk(links)
    return frozenset(path for path in sorted(links) if walk.leaves(path))


@dataclass(slots=True, eq=False)
class _Place:
    """A place in the tree; with the text of the link that stands there, and where that leads."""

    parent: _Place | None
    text: bytes | None = None
    leads_to: _Found | None = None
    is_open: bool = False
    below: dict[bytes, _Place] = field(default_factory=dict[bytes, "_Place"])


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a look-up ends (None: outside), and how many links it followed."""

    place: _Place | None
    hops: int = 0


_OUTSIDE = _Found(None)
_STEP_OUT = b"/"
"""Stands for a part that leads out of the tree; no part of a path looks like it."""


@dataclass(slots=True, eq=False)
class _Route:
    """A look-up under way, of the text of `link` if there is one. `parts` are still to do, last
    first."""

    link: _Place | None
    here: _Place
    parts: list[bytes]
    hops: int


class _Walk:
    """Follows every link once and remembers its end, so that no text is walked twice."""

    def __init__(self, links: Mapping[bytes, bytes]) -> None:
        self._root = _Place(None)
        self._steps = 0
        for path, text in links.items():
            place = self._root
            for part in path.split(b"/"):
                place = place.below.setdefault(part, _Place(place))
            place.text = text

    def leaves(self, path: bytes) -> bool:
        """Whether a look-up of `path` gets out of the tree."""
        # A stack of our own: chains of links may be longer than Python recurses.
        found = _OUTSIDE
        routes = [_Route(None, self._root, self._parts(path), hops=0)]
        while routes:
            route = routes[-1]
            met = self._advance(route)
            if isinstance(met, _Place):
                met.is_open = True
                routes.append(self._route_of(met))
                continue
            found = met
            routes.pop()
            if route.link is not None:
                route.link.leads_to = found
        return found.place is None

    def _route_of(self, link: _Place) -> _Route:
        text = link.text or b""
        if text.startswith(b"/") or link.parent is None:
            return _Route(link, self._root, [_STEP_OUT], hops=1)
        return _Route(link, link.parent, self._parts(text), hops=1)

    def _parts(self, path: bytes) -> list[bytes]:
        """Last first; a step out of the tree where none may be walked any more."""
        self._steps += path.count(b"/") + 1
        return [_STEP_OUT] if self._steps > MOST_STEPS else path.split(b"/")[::-1]

    def _advance(self, route: _Route) -> _Place | _Found:
        """Go on to the end, or to a link whose end must be found first."""
        while route.parts:
            part = route.parts[-1]
            met = self._enter(route.here, part)
            if met is None:
                return _OUTSIDE
            if met.text is not None:
                if met.leads_to is None:
                    return _OUTSIDE if met.is_open else met
                route.hops += met.leads_to.hops
                met = met.leads_to.place
                if met is None or route.hops > _MOST_HOPS:
                    return _OUTSIDE
            route.here = met
            route.parts.pop()
        return _Found(route.here, route.hops)

    @staticmethod
    def _enter(here: _Place, part: bytes) -> _Place | None:
        if part in (b"", b"."):
            return here
        if part == b"..":
            return here.parent
        if part == _STEP_OUT:
            return None
        return here.below.setdefault(part, _Place(here))
