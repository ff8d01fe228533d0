"""The public digests of variants that open campaigns run on, put right after an upgrade.

What the digest is made of may change between versions of the farm. Agent workers can't work out a
universe: they would take what was planned before for other material.
"""

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from models.identifiers import Digest
from models.schemas.campaign import UNENDED
from models.schemas.task import Variant
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow
from models.tables.variants import VariantRow


def variants_in_use(session: Session) -> dict[int, Variant]:
    """The variants of campaigns that have not ended, as they were planned, by key."""
    used = (
        select(VariantRow)
        .distinct()
        .join(CellRow, CellRow.variant_pk == VariantRow.pk)
        .join(CampaignRow, CampaignRow.pk == CellRow.campaign_pk)
        .where(CampaignRow.state.in_(UNENDED))
    )
    return {
        row.pk: Variant(
            task=row.task,
            language=row.language,
            universe=Digest(row.universe),
            public_digest=Digest(row.public_digest),
        )
        for row in session.execute(used).scalars()
    }


def restate_public_digest(session: Session, pk: int, variant: Variant) -> None:
    """Let all that is planned on the variant `pk` count as planned on `variant`, which differs in
    its public digest alone."""
    there = session.execute(
        select(VariantRow.pk).where(
            VariantRow.task == variant.task,
            VariantRow.language == variant.language,
            VariantRow.universe == variant.universe,
            VariantRow.public_digest == variant.public_digest,
        )
    ).scalar_one_or_none()
    if there is None:
        statement = update(VariantRow).where(VariantRow.pk == pk)
        changed = statement.values(public_digest=variant.public_digest)
    else:
        changed = update(CellRow).where(CellRow.variant_pk == pk).values(variant_pk=there)
    session.execute(changed.execution_options(synchronize_session=False))
