"""Faults of catalogue files: where each one is, what is wrong and what to do about it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from models.errors import InputFault, InvalidInput


@dataclass(frozen=True, slots=True, order=True)
class PackageFault:
    """One fault: the file (relative to its package), the field or line, and the remedy.

    `field` is a dotted path such as `checks.3.id`, `line 7` for a syntax error, `hunk 2` in a
    patch, and empty where the fault is about the file as a whole.
    """

    file: str
    field: str
    problem: str
    remedy: str

    def as_json(self) -> dict[str, str]:
        """The fault as a JSON object with the keys file, field, problem, remedy."""
        return asdict(self)

    def as_input_fault(self) -> InputFault:
        """The fault as one of the common kind, with file and field in one."""
        place = f"{self.file}: {self.field}" if self.field else self.file
        return InputFault(place, self.problem, self.remedy)


class PackageInvalid(InvalidInput):
    """A task package or a language definition can't be used; lists every fault at once."""

    def __init__(self, source: str, package_faults: Sequence[PackageFault]) -> None:
        super().__init__(source, [fault.as_input_fault() for fault in package_faults])
        self.package_faults = tuple(package_faults)
