"""Finds decisions about verifiers of the past: by universe, and in order of time."""

from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from models.schemas.gate import ParityDecision
from models.tables.gate_decisions import GateDecisionRow

ALGORITHM = "sha256:"


def decisions_in_universe(session: Session, digits: str) -> list[ParityDecision]:
    """The newest decision in every universe whose digest begins with `digits` (hexadecimal).

    Newest first; the algorithm's name may stand before the digits.
    """
    begins = ALGORITHM + digits.removeprefix(ALGORITHM).lower()
    newest = (
        select(func.max(GateDecisionRow.id))
        .where(GateDecisionRow.universe.startswith(begins, autoescape=True))
        .group_by(GateDecisionRow.task, GateDecisionRow.language, GateDecisionRow.universe)
    )
    return _decisions(session, newest)


def universes_of(session: Session, task: str, language: str) -> list[ParityDecision]:
    """The newest decision in every universe that a variant was ever decided in, newest first."""
    newest = (
        select(func.max(GateDecisionRow.id))
        .where(GateDecisionRow.task == task, GateDecisionRow.language == language)
        .group_by(GateDecisionRow.universe)
    )
    return _decisions(session, newest)


def _decisions(session: Session, ids: Select[Any]) -> list[ParityDecision]:
    documents = select(GateDecisionRow.document).where(GateDecisionRow.id.in_(ids))
    found = session.execute(documents.order_by(GateDecisionRow.id.desc())).scalars()
    return [ParityDecision.model_validate_json(document) for document in found]
