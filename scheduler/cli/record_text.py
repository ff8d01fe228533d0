"""What the verifier tells of one record."""

from dataclasses import dataclass
from pathlib import Path

from models.counted_nouns import counted
from models.errors import FarmError
from models.records.refusal import RecordRefused
from models.records.verification import VerifiedRecord


@dataclass(frozen=True, slots=True)
class Tried:
    """A file, and what it proves or why it was refused."""

    file: Path
    found: VerifiedRecord | None = None
    refused: FarmError | None = None

    @property
    def exit_code(self) -> int:
        """That of the refusal, 0 without one."""
        return 0 if self.refused is None else self.refused.exit_code

    def lines(self) -> list[str]:
        """What a record that holds proves, for people."""
        one = self.found
        if one is None:
            return []
        undelivered = " (undelivered)" if one.undelivered else ""
        again = f", {one.why}" if one.why else ""
        return [
            f"{self.file}: holds",
            f"  run       {one.graded_as} of {one.log}{again}",
            f"  graded    {one.system} on {one.task} in {one.language}",
            f"  universe  {one.universe}",
            f"  verdict   {one.verdict.value}{undelivered}, worked out again from "
            f"{counted(one.events, 'event')}",
            f"  score     {one.passed_checks} of {counted(one.planned_checks, 'check')} passed",
            f"  signed    {' and '.join(one.signers)}",
            f"  log       opened at {one.opened_at}, closed at {one.closed_at}, of "
            f"{counted(one.log_size, 'leaf', 'leaves')}",
            f"  blobs     {one.blobs} here, {one.withheld} withheld",
            f"  digest    {one.digest}",
        ]

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        if self.refused is not None:
            return self._refusal(self.refused)
        one = self.found
        assert one is not None
        names = (
            *("run", "graded_as", "why", "log", "digest", "task", "language", "universe"),
            *("system", "verdict", "undelivered", "passed_checks", "planned_checks", "signers"),
            *("opened_at", "closed_at", "log_size", "events", "blobs", "withheld"),
        )
        proved = {name: getattr(one, name) for name in names}
        return {"file": str(self.file), "holds": True, **proved}

    def _refusal(self, error: FarmError) -> dict[str, object]:
        reason = error.reason.value if isinstance(error, RecordRefused) else None
        told = {"reason": reason, "message": error.message, "exit_code": self.exit_code}
        return {"file": str(self.file), "holds": False, **told}
