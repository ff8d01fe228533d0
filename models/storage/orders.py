"""Reads all that a worker needs to execute one stage of one run."""

import json

from sqlalchemy import select
from sqlalchemy.orm import Session

from models.schemas.campaign import CampaignLimits, SystemSpec
from models.schemas.run import RunOrder, Stage
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow


def read_order(session: Session, run_id: int, stage: Stage) -> RunOrder:
    """The order of a run that was just claimed; attempt id and number are still 0."""
    run, campaign_id, limits, system, variant = session.execute(
        select(RunRow, CampaignRow.id, CampaignRow.limits, SystemRow, VariantRow)
        .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
        .join(CellRow, CellRow.pk == RunRow.cell_pk)
        .join(SystemRow, SystemRow.pk == CellRow.system_pk)
        .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
        .where(RunRow.id == run_id)
        .execution_options(populate_existing=True)
    ).one()
    return RunOrder(
        run_id=run_id,
        campaign_id=campaign_id,
        stage=stage,
        token=run.token,
        attempt_id=0,
        attempt_number=0,
        system=SystemSpec(
            name=system.name, agent=system.agent, settings=json.loads(system.settings)
        ),
        task=variant.task,
        language=variant.language,
        repeat=run.repeat,
        universe=variant.universe,
        limits=CampaignLimits.model_validate_json(limits),
        snapshot=run.snapshot,
        stop_reason=run.stop_reason,
        changed=run.changed,
    )
