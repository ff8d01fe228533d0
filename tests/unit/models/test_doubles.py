"""What stands more than once is found in one pass."""

from models.doubles import doubles


class Name(str):
    """A text that counts how often any is compared with another."""

    compared = 0

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        type(self).compared += 1
        return str(self) == other


def test_doubles_are_told_once_and_in_order() -> None:
    assert doubles("abcbabd") == ["a", "b"]
    assert doubles([]) == []


def test_however_many_names_none_is_compared_with_all_others() -> None:
    names = [Name(number) for number in range(1_000)]
    assert doubles([*names, Name(999)]) == ["999"]
    assert Name.compared <= 2 * len(names)
