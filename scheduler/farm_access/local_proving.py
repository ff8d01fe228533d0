"""Plans and starts the parity gates of the farm whose database and catalogue are at hand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from models.clock import Clock
from models.schemas.campaign import CampaignSpec
from models.schemas.gate import REFERENCE, ParityDecision
from scheduler.campaign_lifecycle import (
    Insert,
    begin_campaign,
    cancel_campaign,
    plan_by,
)
from scheduler.farm_access.local_workers import LocalWorkers
from scheduler.farm_access.worker_service import serving_tools, split_by_service
from scheduler.gate_campaigns import gate_spec, outdated_gates, proofs_of, unfinished_gate
from scheduler.gate_queries import GateQueries
from scheduler.gates.proofs import GateQuery, ProofPlan, VariantProof


@dataclass(frozen=True)
class LocalProving:
    """Keeps `Proving` over a database and a catalogue."""

    queries: GateQueries
    workers: LocalWorkers
    clock: Clock

    def plan(self, query: GateQuery, *, repeats: int, force: bool) -> ProofPlan:
        """What has to be proved of a query, as far as a living worker serves it."""
        living = self.workers.living()
        served, unserved = split_by_service(living, self.queries.variants(query))
        plan = self.plan_variants(served, repeats=repeats, force=force)
        return plan.model_copy(update={"unserved": unserved})

    def begin(
        self, query: GateQuery, *, repeats: int, force: bool, insert: Insert | None = None
    ) -> tuple[str, ...]:
        """Start what `plan` says, or go on where it was interrupted; returns the campaigns.

        Their runs are inserted by `insert`, at once by default.
        """
        return self.begin_plan(self.plan(query, repeats=repeats, force=force), insert)

    def plan_variants(
        self, variants: Sequence[tuple[str, str]], *, repeats: int, force: bool
    ) -> ProofPlan:
        """Which of `variants` have to be proved, and why: `because` says it of each.

        A proof holds for its universe and the tools that it was made with, and for as many repeats
        of the reference as it has. With `force` all are proved again.
        """
        database, catalog = self.queries.database, self.queries.catalog
        workers = self.workers.living()
        serving = serving_tools(workers)
        proved = {one.language for one in proofs_of(database, catalog, variants) if one.is_green}
        readied = {one for w in workers if "grade" in w.roles for one in w.warming}
        known = proofs_of(database, catalog, variants, serving)
        opened = [_opened(proof, repeats, force=force) for proof in known]
        return ProofPlan(
            known=tuple(known),
            to_prove=tuple(one for one in opened if one.because),
            repeats=repeats,
            readying=tuple(sorted((readied & proved) - serving.keys())),
        )

    def begin_plan(self, plan: ProofPlan, insert: Insert | None = None) -> tuple[str, ...]:
        """Start the gates of all variants of a plan side by side.

        A gate that was interrupted goes on where it was; one whose universe has gone is cancelled.
        """
        database, catalog = self.queries.database, self.queries.catalog
        for outdated in outdated_gates(database, catalog, _tasks(plan)):
            cancel_campaign(database, outdated, self.clock)
        return tuple(self._started(spec, insert) for spec in self._specs(plan))

    def _specs(self, plan: ProofPlan) -> Iterator[CampaignSpec]:
        for task in _tasks(plan):
            languages = [proof.language for proof in plan.to_prove if proof.task == task]
            yield gate_spec(self.queries.catalog.task(task), languages, plan.repeats)

    def _started(self, spec: CampaignSpec, insert: Insert | None) -> str:
        database, catalog = self.queries.database, self.queries.catalog
        if going := unfinished_gate(database, spec):
            return going.id
        begun = begin_campaign(database, catalog, spec, self.clock, unproven=True)
        plan_by(insert, database, begun, self.clock)
        return begun


def _opened(proof: VariantProof, repeats: int, *, force: bool) -> VariantProof:
    if proof.because or proof.decision is None:
        return proof
    had = _reference_repeats(proof.decision)
    if had < repeats:
        return replace(proof, because=(f"proved with {had} repeats, {repeats} are asked for",))
    return replace(proof, because=("asked for with --force",)) if force else proof


def _reference_repeats(decision: ParityDecision) -> int:
    return next((row.repeats for row in decision.rows if row.subject == REFERENCE), 0)


def _tasks(plan: ProofPlan) -> list[str]:
    return list(dict.fromkeys(proof.task for proof in plan.to_prove))
