"""`gradefarm doctor`: what this machine gives a farm, and what it lacks."""

from collections.abc import Iterator

import typer

from models.errors import Infrastructure
from models.plain_text import one_line
from models.schemas.finding import Finding, Severity
from models.settings import Settings, current_settings
from scheduler.cli.farm_access import JsonFlag
from scheduler.cli.gateway_findings import gateway_findings
from scheduler.cli.machine_findings import machine_findings
from scheduler.cli.text_tables import print_json
from scheduler.cli.worker_findings import worker_findings

app = typer.Typer(rich_markup_mode=None)

MARKS = {Severity.FINE: "ok  ", Severity.LACK: "LACK", Severity.FATAL: "FAIL"}


@app.command()
def doctor(*, as_json: JsonFlag = False) -> None:
    """What this machine gives and lacks, with what to do. Exit code 5 if no farm can run here.

    Looks at Python, the broker, the database, the disk, Flower, the gateway, the sandbox (by trying
    it) and the toolchain of every language.

    \b
      gradefarm doctor
      gradefarm doctor --json | jq '.[] | select(.severity != "fine")'
    """
    findings = list(all_findings(current_settings()))
    if as_json:
        print_json(findings)
    else:
        _print_findings(findings)
    fatal = [finding for finding in findings if finding.severity is Severity.FATAL]
    if fatal:
        raise Infrastructure(
            "farm",
            f"no farm can run here: {', '.join(finding.name for finding in fatal)}.",
            remedy="Do what is said beside each FAIL, then ask the doctor again.",
        )


def all_findings(settings: Settings) -> Iterator[Finding]:
    """What the scheduler's side, the gateway and the workers' side found."""
    yield from machine_findings(settings)
    yield from gateway_findings(settings)
    yield from worker_findings(settings)


def _print_findings(findings: list[Finding]) -> None:
    width = max(len(finding.name) for finding in findings)
    for area in dict.fromkeys(finding.area for finding in findings):
        print(area)
        for finding in findings:
            if finding.area != area:
                continue
            print(f"  {MARKS[finding.severity]}  {finding.name:<{width}}  {one_line(finding.text)}")
            if finding.remedy:
                print(f"        {'':<{width}}  -> {one_line(finding.remedy)}")
    severities = [finding.severity for finding in findings]
    if (lacks := severities.count(Severity.LACK)) and Severity.FATAL not in severities:
        print(f"\na farm runs here with {lacks} restriction(s), each marked LACK")
