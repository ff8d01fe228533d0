"""The description as a page for people: no script, and nothing from elsewhere."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from scheduler.api.description import ROLE_KEY

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{overflow:auto;padding:.6em;"
    "background:#8881}summary{cursor:pointer;padding:.2em 0}td,th{text-align:left;"
    "vertical-align:top;padding:.15em 1em .15em 0}.m{display:inline-block;min-width:4.5em;"
    "font-weight:600}.r{opacity:.7;float:right}:root{color-scheme:light dark}"
)


def description_page(described: dict[str, Any]) -> str:
    """The OpenAPI document `described` as HTML."""
    body = "\n".join(_sections(described))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>gradefarm API</title>'
        f"<style>{STYLE}</style></head><body><h1>gradefarm API</h1>"
        f"<p>{escape(described['info']['description'])}</p>"
        f'<p>For programs: <a href="openapi.json">openapi.json</a></p>{body}</body></html>'
    )


def _sections(described: dict[str, Any]) -> Iterator[str]:
    by_tag: dict[str, list[str]] = {}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            tag = (operation.get("tags") or ["other"])[0]
            by_tag.setdefault(tag, []).append(_operation(path, method, operation))
    for tag, operations in by_tag.items():
        yield f"<h2>{escape(tag)}</h2>" + "".join(operations)


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    return (
        f'<details><summary><span class="m">{escape(method.upper())}</span> '
        f'<code>{escape(path)}</code><span class="r">{escape(operation[ROLE_KEY])}</span><br>'
        f"{escape(operation.get('summary', ''))}</summary>"
        f"{_parameters(operation)}{_body(operation)}{_answers(operation)}</details>"
    )


def _parameters(operation: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{escape(one['in'])}</td>"
        f"<td>{escape(one.get('description', ''))}</td></tr>"
        for one in operation.get("parameters", [])
    )
    return f"<h4>Parameters</h4><table>{rows}</table>" if rows else ""


def _body(operation: dict[str, Any]) -> str:
    if "requestBody" not in operation:
        return ""
    return f"<h4>Body</h4><pre>{_as_text(operation['requestBody']['content'])}</pre>"


def _answers(operation: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{escape(status)}</td><td>{escape(answer['description'])}</td></tr>"
        for status, answer in operation["responses"].items()
    )
    return f"<h4>Answers</h4><table>{rows}</table>"


def _as_text(value: object) -> str:
    return escape(json.dumps(value, indent=2, ensure_ascii=False))
