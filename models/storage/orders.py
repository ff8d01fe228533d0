"""Reads all that a worker needs to execute one stage of one run."""

import json

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from models.schemas.campaign import CampaignLimits, SystemSpec
from models.schemas.run import RunOrder, Stage
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow

ORDER = (
    select(
        RunRow.token,
        RunRow.repeat,
        RunRow.snapshot,
        RunRow.stop_reason,
        RunRow.changed,
        CampaignRow.id.label("campaign_id"),
        CampaignRow.limits,
        SystemRow.name,
        SystemRow.agent,
        SystemRow.settings,
        VariantRow.task,
        VariantRow.language,
        VariantRow.universe,
        VariantRow.public_digest,
    )
    .select_from(RunRow)
    .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
    .join(CellRow, CellRow.pk == RunRow.cell_pk)
    .join(SystemRow, SystemRow.pk == CellRow.system_pk)
    .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
    .where(RunRow.id == bindparam("run_id"))
)


def read_order(
    session: Session, run_id: int, stage: Stage, attempt_id: int, attempt_number: int
) -> RunOrder:
    """The order of a run that was just claimed."""
    found = session.connection().execute(ORDER, {"run_id": run_id}).mappings().one()
    return RunOrder(
        run_id=run_id,
        campaign_id=found["campaign_id"],
        stage=stage,
        token=found["token"],
        attempt_id=attempt_id,
        attempt_number=attempt_number,
        system=SystemSpec(
            name=found["name"], agent=found["agent"], settings=json.loads(found["settings"])
        ),
        task=found["task"],
        language=found["language"],
        repeat=found["repeat"],
        universe=found["universe"],
        public_digest=found["public_digest"],
        limits=CampaignLimits.model_validate_json(found["limits"]),
        snapshot=found["snapshot"],
        stop_reason=found["stop_reason"],
        changed=found["changed"],
    )
