"""Every table of the farm, for whoever creates or compares them."""

from models.tables.api_tokens import ApiTokenRow
from models.tables.attempt_tallies import AttemptTallyRow
from models.tables.attempts import AttemptRow
from models.tables.base import Base
from models.tables.budgets import CampaignBudgetRow, ReservationRow
from models.tables.campaign_requests import CampaignChangeRow, CampaignRequestRow
from models.tables.campaigns import CampaignIsolationRow, CampaignQueueRow, CampaignRow
from models.tables.cells import CellRow, CellTallyRow
from models.tables.check_reports import CheckReportRow
from models.tables.farm_log import FarmLogRow, LogEntryRow, LogNodeRow
from models.tables.gate_decisions import GateDecisionRow
from models.tables.outbox import OutboxRow
from models.tables.queues import QueueRow
from models.tables.recordings import RecordingRow
from models.tables.run_records import RunRecordRow
from models.tables.runs import RunRow
from models.tables.scheduler_lease import SchedulerLeaseRow
from models.tables.system_limits import SystemLimitRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow
from models.tables.workers import WorkerRow

TABLES: tuple[type[Base], ...] = (
    QueueRow,
    SystemRow,
    SystemLimitRow,
    VariantRow,
    CampaignRow,
    CampaignQueueRow,
    CampaignIsolationRow,
    CampaignBudgetRow,
    CellRow,
    CellTallyRow,
    RunRow,
    AttemptRow,
    AttemptTallyRow,
    ReservationRow,
    CheckReportRow,
    OutboxRow,
    GateDecisionRow,
    WorkerRow,
    SchedulerLeaseRow,
    ApiTokenRow,
    CampaignRequestRow,
    CampaignChangeRow,
    FarmLogRow,
    LogEntryRow,
    LogNodeRow,
    RunRecordRow,
    RecordingRow,
)

METADATA = Base.metadata
