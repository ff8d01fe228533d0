"""What it costs to prove the verifiers of the whole bundled catalogue on one machine.

A farm is started as `gradefarm up` starts it, in an empty home, with one slot more than there are
processors, since one control only sleeps.
`gradefarm gate run` then sends the reference, the starter, every planted fault and every control
of each task in each language through it, and is asked a second time. Processor time is what the
sandboxes used; the compilers' share of it is what builds used. The wall clock begins with the
command, so that it holds the one-time warming of compile caches too.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from models.schemas.gate import GateColour, ParityDecision
from scheduler.gates.language_matrix import LanguageMatrix
from scheduler.gates.proof_cost import ProofCost, proof_cost
from tests.acceptance.farm_process import GRADEFARM, LANGUAGES, READY, FarmHome

HEAD = "| language | verifiers | runs | processor time | compilers | builds made, spared |"
RULE = "| --- | --- | --- | --- | --- | --- |"


class WholeCatalogue(FarmHome):
    """A home over everything that is bundled."""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"GRADEFARM_LANGUAGES": str(LANGUAGES)}


@dataclass(frozen=True)
class CatalogueProof:
    """All decisions, one matrix for each task, and how long both commands took."""

    decisions: tuple[ParityDecision, ...]
    unproved: tuple[str, ...]
    matrices: tuple[LanguageMatrix, ...]
    first_s: float
    second_s: float

    @property
    def is_green(self) -> bool:
        """Whether every variant of the catalogue is proved, and all languages end alike."""
        return not self.unproved and all(matrix.agree for matrix in self.matrices)


def measure(repeats: int) -> tuple[str, bool]:
    """The page's table, and whether everything is green."""
    proof = prove_catalogue(repeats)
    return table(proof), proof.is_green


def prove_catalogue(repeats: int) -> CatalogueProof:
    """Prove everything that is bundled, in a farm of its own, telling its progress."""
    with TemporaryDirectory(prefix="gradefarm-catalogue-", dir="/var/tmp") as root:
        Path(root).chmod(0o755)
        home = WholeCatalogue(Path(root) / "home")
        slots = str((os.cpu_count() or 1) + 1)
        with home.started("up", "--no-flower", "--slots", slots, until=READY):
            first_s = _gate_run(home, repeats)
            second_s = _gate_run(home, repeats)
            proofs = _json(home, "gate", "show")
            matrices = _json(home, "gate", "matrix")
    return CatalogueProof(
        tuple(
            ParityDecision.model_validate(each["decision"]) for each in proofs if each["decision"]
        ),
        tuple(f"{each['task']}/{each['language']}" for each in proofs if not each["green"]),
        tuple(LanguageMatrix.model_validate(each) for each in matrices),
        first_s,
        second_s,
    )


def _gate_run(home: FarmHome, repeats: int) -> float:
    begun = time.monotonic()
    words = [str(GRADEFARM), "gate", "run", "--repeats", str(repeats)]
    subprocess.run(words, check=False, env=home.environment, stdout=sys.stderr)
    return time.monotonic() - begun


def _json(home: FarmHome, *words: str) -> list[dict[str, Any]]:
    done = home.run(*words, "--json")
    return json.loads(done.stdout)


def table(proof: CatalogueProof) -> str:
    """The figures by language, and what they come to."""
    cost = proof_cost(proof.decisions)
    green = sum(one.colour is GateColour.GREEN for one in proof.decisions)
    cells = sum(len(one.rows) * len(one.checks) * len(one.languages) for one in proof.matrices)
    agree = sum(one.agree for one in proof.matrices)
    lines = [HEAD, RULE, *(_line(name, of) for name, of in _by_language(proof.decisions))]
    lines += [_row("all", len(proof.decisions), cost), ""]
    lines += [
        f"- {green} of {len(proof.decisions) + len(_never(proof))} verifiers green; in {agree} of "
        f"{len(proof.matrices)} tasks all languages end alike on every subject and check "
        f"({cells:,} cells).",
        f"- Wall clock of `gradefarm gate run`: {_minutes(proof.first_s)}; asked again: "
        f"{proof.second_s:.1f} s.",
        f"- Processor time in sandboxes: {_minutes(cost.cpu_s)}, of it in compilers "
        f"{cost.compiler_share:.0%}.",
    ]
    lines += [f"- not green: {name}" for name in proof.unproved]
    return "\n".join(lines)


def _never(proof: CatalogueProof) -> set[str]:
    decided = {f"{one.task}/{one.language}" for one in proof.decisions}
    return set(proof.unproved) - decided


def _by_language(
    decisions: Sequence[ParityDecision],
) -> Iterable[tuple[str, list[ParityDecision]]]:
    for language in dict.fromkeys(one.language for one in decisions):
        yield language, [one for one in decisions if one.language == language]


def _line(language: str, decisions: list[ParityDecision]) -> str:
    return _row(language, len(decisions), proof_cost(decisions))


def _row(name: str, verifiers: int, cost: ProofCost) -> str:
    return (
        f"| {name} | {verifiers} | {cost.runs:,} | {cost.cpu_s:.0f} s | {cost.compiler_share:.0%} "
        f"| {cost.builds}, {cost.spared} |"
    )


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
