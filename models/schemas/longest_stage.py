"""How long a stage may last by the limits that the schemas admit, in seconds."""

from models.schemas.check import LARGEST_WALL_FACTOR
from models.schemas.language import LARGEST_LIMIT_FACTOR
from models.schemas.task import LONGEST_AGENT_WALL_S, LONGEST_GRADING_S

LONGEST_AGENT_STAGE_S = LONGEST_AGENT_WALL_S * LARGEST_LIMIT_FACTOR
LONGEST_GRADE_STAGE_S = LONGEST_GRADING_S * LARGEST_WALL_FACTOR * LARGEST_LIMIT_FACTOR
BACKSTOP_S = 2 * max(LONGEST_AGENT_STAGE_S, LONGEST_GRADE_STAGE_S)
"""Above any limit that a stage may set itself: when it fires, the farm is at fault."""
