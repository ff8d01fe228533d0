"""What the gateway says of its file: the answer of `gradefarm gateway --check --json`.

Asked in a process of its own, because the head never imports the hands.
"""

import json
import subprocess
from collections.abc import Iterator

from pydantic import ValidationError

from models.schemas.base import Schema
from models.schemas.finding import Finding, Severity
from models.settings import Settings
from scheduler.embedded_farm.farm_processes import own_command

PATIENCE_S = 60


class GatewayCheck(Schema):
    """The answer of a gateway's check; `models` says of each who serves it, and what is wrong,
    `warnings` which keys others can read."""

    file: str
    address: str
    answers: bool
    models: dict[str, str]
    price_table: str
    warnings: tuple[str, ...]


def gateway_findings(settings: Settings) -> Iterator[Finding]:
    """The gateway to language models, if this farm has one."""
    if not settings.has_gateway:
        text = "no gateway.toml: agents that ask language models can't be run"
        yield Finding(area="services", name="gateway", severity=Severity.FINE, text=text)
    elif settings.gateway_url and not settings.gateway_config.is_file():
        text = f"elsewhere ({settings.gateway_url}); not looked at"
        yield Finding(area="services", name="gateway", severity=Severity.FINE, text=text)
    else:
        yield _asked()


def _asked() -> Finding:
    command = own_command("gateway", "--check", "--json")
    try:
        told = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        return _lack(f"no answer within {PATIENCE_S} s", "Look at the machine's load.")
    try:
        found = GatewayCheck.model_validate_json(told.stdout)
    except ValidationError:
        return _lack(_reason(told.stderr), "`gradefarm gateway --check` names every fault.")
    state = "answers" if found.answers else "not running; `gradefarm up` or `gateway` starts it"
    models = ", ".join(f"{name} ({what})" for name, what in found.models.items())
    text = f"{state}; models: {models}"
    if found.warnings:
        return _lack(text, "; ".join(found.warnings))
    return Finding(area="services", name="gateway", severity=Severity.FINE, text=text)


def _reason(stderr: str) -> str:
    lines = stderr.strip().splitlines() or ["no answer"]
    try:
        return " ".join(str(json.loads(lines[-1])["error"]["message"]).split())
    except (ValueError, KeyError, TypeError):
        return lines[-1]


def _lack(text: str, remedy: str) -> Finding:
    return Finding(
        area="services", name="gateway", severity=Severity.LACK, text=text, remedy=remedy
    )
