"""Keeps what the farm measured of one program, so that a verdict can be looked into later."""

from collections.abc import Callable

from models.schemas.check_report import CheckEvidence
from workers.sandbox.outcome import SandboxOutcome

SHORT_BYTES = 2_048
"""Output up to this size is kept in the report itself: a file for each would cost more."""


def evidence_of(
    outcome: SandboxOutcome,
    difference: str,
    store: Callable[[bytes], str],
    *,
    keeps_output: bool = True,
) -> CheckEvidence:
    """The evidence of `outcome`; `store` keeps long output and returns its digest.

    Without `keeps_output` only the sizes of the output are kept.
    """
    stdout, stdout_text = _kept(outcome.stdout if keeps_output else b"", store)
    stderr, stderr_text = _kept(outcome.stderr if keeps_output else b"", store)
    return CheckEvidence(
        ending=str(outcome.ending),
        exit_code=outcome.exit_code,
        signal=outcome.signal,
        wall_s=round(outcome.wall_s, 4),
        cpu_s=round(outcome.cpu_s, 4),
        peak_memory_bytes=outcome.peak_memory_bytes,
        stdout=stdout,
        stdout_text=stdout_text,
        stdout_bytes=len(outcome.stdout),
        stderr=stderr,
        stderr_text=stderr_text,
        stderr_bytes=len(outcome.stderr),
        difference=difference,
        notes=outcome.notes,
    )


def _kept(output: bytes, store: Callable[[bytes], str]) -> tuple[str, str]:
    """(digest, text), of which at most one is not empty."""
    if len(output) <= SHORT_BYTES:
        try:
            return "", output.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return store(output), ""
