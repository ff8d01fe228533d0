"""What people ask about proofs: by task, language, fault and check; across languages; over time."""

from collections.abc import Iterable
from dataclasses import dataclass

from models.clock import epoch_of
from models.errors import NotFound, Refused
from models.schemas.gate import ParityDecision, fault_subject
from models.storage.gate_history import decisions_in_universe, universes_of
from models.storage.transaction import Database
from scheduler.campaign_lifecycle import offered_variants
from scheduler.gate_campaigns import proofs_of
from scheduler.gates.decision_diff import DecisionDiff, diff_decisions
from scheduler.gates.exports.ctrf import ctrf_report
from scheduler.gates.exports.junit import junit_report
from scheduler.gates.exports.mutation_report import FaultSources, mutation_report
from scheduler.gates.fault_places import fault_place
from scheduler.gates.language_matrix import LanguageMatrix, MatrixLanguage, language_matrix
from scheduler.gates.proofs import GateQuery, VariantProof
from tasks_catalog.catalog import Catalog
from tasks_catalog.file_tree import read_files

FEWEST_DIGITS = 6


@dataclass(frozen=True)
class GateQueries:
    """Answers about the proofs of one farm."""

    database: Database
    catalog: Catalog

    def variants(self, query: GateQuery) -> list[tuple[str, str]]:
        """The (task, language) pairs that a query names. Raises NotFound for unknown names."""
        if query.task:
            self.catalog.task(query.task)
        if query.language:
            self.catalog.language(query.language)
        pairs = [
            (task, language)
            for task, languages in offered_variants(self.catalog).items()
            for language in languages
            if query.task in (None, task) and query.language in (None, language)
        ]
        if query.task and query.language and not pairs:
            raise NotFound(
                f"the task {query.task} is not there in {query.language}.",
                remedy="`gradefarm catalog list` tells the languages of every task.",
            )
        self._refuse_unknown(pairs, query)
        return pairs

    def proofs(self, query: GateQuery) -> list[VariantProof]:
        """The newest decision about each variant in its present universe, cut to the query."""
        found = proofs_of(self.database, self.catalog, self.variants(query))
        return [
            VariantProof(
                proof.task,
                proof.language,
                proof.universe,
                proof.decision and narrowed(proof.decision, query),
            )
            for proof in found
        ]

    def matrices(self, query: GateQuery) -> list[LanguageMatrix]:
        """One matrix of all languages for each task."""
        proofs = self.proofs(query)
        return [
            language_matrix(
                task,
                [_matrix_language(proof) for proof in proofs if proof.task == task],
                [proof.decision for proof in proofs if proof.decision and proof.task == task],
            )
            for task in dict.fromkeys(proof.task for proof in proofs)
        ]

    def difference(self, before: str, after: str) -> DecisionDiff:
        """Two universes, each given by the first digits of its digest, held against each other.

        Raises NotFound for digits that no decision has, Refused for ambiguous ones and for
        universes of two variants.
        """
        old, new = self._decision(before), self._decision(after)
        if (old.task, old.language) != (new.task, new.language):
            raise Refused(
                f"{before} is of {old.task}/{old.language}, {after} of {new.task}/{new.language}.",
                remedy="Name two universes of one variant.",
            )
        return diff_decisions(old, new)

    def last_difference(self, task: str, language: str) -> DecisionDiff:
        """The newest decided universe of a variant against the one before. Raises NotFound."""
        self.variants(GateQuery(task, language))
        with self.database.read() as session:
            found = universes_of(session, task, language)
        if len(found) < 2:
            raise NotFound(
                f"{task}/{language} was decided in {len(found)} universes so far.",
                remedy=f"`gradefarm gate run --task {task}` decides in the present one.",
            )
        return diff_decisions(found[1], found[0])

    def mutation_report(self, query: GateQuery, *, with_sources: bool) -> dict[str, object]:
        """The decisions of a query in the mutation testing report schema.

        `with_sources` puts the references' text in, which is the answer key. Raises Refused
        where this machine doesn't hold the sealed half.
        """
        decisions = self._decided(query)
        tasks = dict.fromkeys(decision.task for decision in decisions)
        sources = {
            (one.task, one.language): self._sources(one, with_sources=with_sources)
            for one in decisions
        }
        return mutation_report(
            decisions, {each: self.catalog.task(each) for each in tasks}, sources
        )

    def ctrf_report(self, query: GateQuery, timestamp: str) -> dict[str, object]:
        """The decisions of a query in the Common Test Report Format."""
        decisions = self._decided(query)
        moments = [epoch_of(one.decided_at) for one in decisions if one.decided_at] or [0.0]
        span = (round(min(moments) * 1000), round(max(moments) * 1000))
        return ctrf_report(decisions, span, timestamp)

    def junit_report(self, query: GateQuery) -> bytes:
        """The decisions of a query as JUnit XML."""
        return junit_report(self._decided(query))

    def _decided(self, query: GateQuery) -> list[ParityDecision]:
        found = [proof.decision for proof in self.proofs(query) if proof.decision]
        if not found:
            raise NotFound("no gate was run yet.", remedy="Prove with `gradefarm gate run`.")
        return found

    def _sources(self, decision: ParityDecision, *, with_sources: bool) -> FaultSources:
        sealed = self.catalog.sealed_half(decision.task, decision.language)
        places = {fault: fault_place(path.read_bytes()) for fault, path in sealed.faults.items()}
        if not with_sources:
            return FaultSources(places)
        files = {**read_files(sealed.public.starter), **read_files(sealed.reference)}
        held = {place.file for place in places.values()}
        return FaultSources(
            places, {name: files[name].decode("utf-8", "replace") for name in files if name in held}
        )

    def _decision(self, digits: str) -> ParityDecision:
        if len(digits.removeprefix("sha256:")) < FEWEST_DIGITS:
            raise Refused(
                f"{digits!r} is too short for a universe.",
                remedy=f"Give at least {FEWEST_DIGITS} digits; `gradefarm gate show` tells them.",
            )
        with self.database.read() as session:
            found = decisions_in_universe(session, digits)
        if not found:
            raise NotFound(
                f"no gate was decided in a universe {digits}.",
                remedy="`gradefarm gate show` tells the present ones, `runs show` that of a run.",
            )
        if len({one.universe for one in found}) > 1:
            raise Refused(f"{digits} begins more than one universe.", remedy="Give more digits.")
        return found[0]

    def _refuse_unknown(self, pairs: Iterable[tuple[str, str]], query: GateQuery) -> None:
        manifests = [self.catalog.task(task) for task in dict.fromkeys(task for task, _ in pairs)]
        faults = {fault.id for manifest in manifests for fault in manifest.faults}
        checks = {check for manifest in manifests for check in manifest.check_ids}
        for what, asked, known in (
            ("fault", query.faults, faults),
            ("check", query.checks, checks),
        ):
            for name in asked:
                if name not in known:
                    raise NotFound(
                        f"there is no {what} {name} in what was asked for.",
                        remedy=f"Known: {', '.join(sorted(known)) or 'none'}.",
                    )


def narrowed(decision: ParityDecision, query: GateQuery) -> ParityDecision:
    """The rows and columns of a decision that a query asks for, with the reasons about them."""
    subjects = {fault_subject(fault) for fault in query.faults}
    rows = [row for row in decision.rows if not subjects or row.subject in subjects]
    checks = tuple(one for one in decision.checks if not query.checks or one in query.checks)
    reasons = [
        reason
        for reason in decision.reasons
        if (not subjects or reason.subject in subjects)
        and (not query.checks or reason.check in ("", *query.checks))
    ]
    cut = [
        row.model_copy(
            update={"outcomes": {one: row.outcomes[one] for one in checks if one in row.outcomes}}
        )
        for row in rows
    ]
    return decision.model_copy(
        update={"rows": tuple(cut), "checks": checks, "reasons": tuple(reasons)}
    )


def _matrix_language(proof: VariantProof) -> MatrixLanguage:
    colour = proof.decision.colour if proof.decision else None
    return MatrixLanguage(language=proof.language, universe=proof.universe, colour=colour)
