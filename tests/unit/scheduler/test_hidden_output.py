"""Who may not know the answers is not shown what hidden checks printed."""

from pathlib import Path

from models.schemas.check_report import CheckEvidence, CheckReport
from scheduler.farm_access.hidden_output import NOTHING, without_hidden_output
from tasks_catalog.catalog import Catalog
from tests.unit.scheduler.test_expected_answers import catalog, report

__all__ = ["catalog"]
PRINTED = {name: f"words of {name}" for name in NOTHING}
SEEN = CheckEvidence(ending="exited", exit_code=0, stdout_bytes=7, **PRINTED)  # pyright: ignore[reportArgumentType]
BLANK = CheckEvidence(ending="exited", exit_code=0, stdout_bytes=7)


def printed(catalog: Catalog, task: str = "adder") -> CheckReport:
    plain = report(catalog, task)
    checks = tuple(one.model_copy(update={"evidence": SEEN}) for one in plain.checks)
    build = plain.build.model_copy(update={"evidence": SEEN})
    return plain.model_copy(update={"checks": checks, "build": build, "salt": "5a" * 32})


def test_hidden_checks_and_the_build_are_left_blank_and_nothing_else(catalog: Catalog) -> None:
    whole = printed(catalog)
    told = without_hidden_output(catalog, whole)
    assert [one.evidence for one in told.checks] == [SEEN, BLANK, BLANK]
    assert told.build.evidence == BLANK
    assert told.salt == ""
    assert CheckReport.model_validate_json(told.model_dump_json()) == told
    assert [one.outcome for one in told.checks] == [one.outcome for one in whole.checks]


def test_what_is_not_known_to_be_visible_is_hidden(catalog: Catalog, tmp_path: Path) -> None:
    first, *others = printed(catalog).checks
    other = first.model_copy(update={"check_digest": "sha256:" + "0" * 64})
    changed = printed(catalog).model_copy(update={"checks": (other, *others)})
    gone = printed(catalog, "gone-since")
    public = Catalog(tmp_path / "tasks", None, tmp_path / "languages")
    too_long = printed(catalog, "a" * 300)
    for other_report in (changed, gone, too_long):
        told = without_hidden_output(catalog, other_report)
        assert [one.evidence for one in told.checks] == [BLANK] * 3
    told = without_hidden_output(public, printed(catalog))
    assert [one.evidence for one in told.checks] == [SEEN, BLANK, BLANK]
