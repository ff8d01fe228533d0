"""`gradefarm api`: a real server in front of a real database, asked over HTTP."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator
from typing import Any, cast

import pytest

from models.storage.gates import save_decision
from tasks_catalog.catalog import open_catalog
from tests.acceptance.api_server import api_home
from tests.unit.scheduler.gate_samples import PASSED, decision, row, survived

OLD, NEW = "sha256:" + "1" * 64, "sha256:" + "2" * 64


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Where a server answers: alpha is proved, beta is red, in the present universes."""
    root = tmp_path_factory.mktemp("api")
    with api_home(root) as (home, database):
        alpha = (root / "languages/alpha.toml").read_text()
        (root / "languages/gamma.toml").write_text(alpha.replace("alpha", "gamma"))
        catalog = open_catalog(root / "tasks", root / "tasks", root / "languages")
        survivor = row("fault:drops-sign", PASSED, PASSED, PASSED)
        kept = [
            decision("alpha", universe=OLD),
            decision("alpha", universe=NEW, fault=survivor, reasons=(survived(),)),
            decision("alpha", universe=catalog.variant("adder", "alpha").universe),
            decision(
                "beta",
                universe=catalog.variant("adder", "beta").universe,
                fault=survivor,
                reasons=(survived(),),
            ),
        ]
        with database.transaction() as session:
            for number, one in enumerate(kept):
                save_decision(session, one, 1_700_000_000.0 + number)
        with home.started("api", "--port", "0", until="/api/docs") as server:
            found = re.search(r"http://\S+/api", server.text)
            assert found
            yield found.group()


def ask(url: str | urllib.request.Request) -> tuple[int, str, Any]:
    """Status, media type and JSON of an answer."""
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.status, answer.headers.get_content_type(), json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get_content_type(), json.load(error)


def proved(url: str) -> list[str]:
    return [one["language"] for one in ask(url)[2]["proofs"]]


def test_proofs_are_found_by_language_colour_fault_and_check(address: str) -> None:
    status, _, all_of_them = ask(f"{address}/gates")
    assert status == 200
    assert all_of_them["green"] is False
    assert proved(f"{address}/gates?colour=red") == ["beta"]
    assert proved(f"{address}/gates?language=alpha&colour=green") == ["alpha"]
    cut = ask(f"{address}/gates?language=beta&fault=drops-sign&check=hidden-sum")[2]["proofs"][0]
    assert [one["outcomes"] for one in cut["decision"]["rows"]] == [{"hidden-sum": "passed"}]
    assert cut["decision"]["reasons"][0]["rule"] == "fault_is_caught"


def test_one_variant_has_an_address_of_its_own(address: str) -> None:
    status, _, told = ask(f"{address}/gates/adder/alpha")
    assert (status, told["green"], told["decision"]["colour"]) == (200, True, "green")


def test_languages_are_compared_and_universes_too(address: str) -> None:
    [matrix] = ask(f"{address}/gates/matrix?task=adder")[2]
    assert matrix["agree"] is False
    diff = ask(f"{address}/gates/diff?before={'1' * 8}&after={'2' * 8}")[2]
    assert [cell["what"] for cell in diff["cells"]] == ["fault:drops-sign: hidden-sum"]


def test_exports_are_served_without_the_answer_key(address: str) -> None:
    report = ask(f"{address}/gates/export/stryker")[2]
    assert {file["source"] for file in report["files"].values()} == {""}
    assert (
        ask(f"{address}/gates/export/ctrf?language=alpha")[2]["results"]["summary"]["failed"] == 0
    )
    with urllib.request.urlopen(f"{address}/gates/export/junit", timeout=20) as answer:
        assert answer.headers.get_content_type() == "application/xml"
        assert b"<testsuites" in answer.read()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/gates?task=never", 404, "no task never"),
        ("/gates?fault=never", 404, "no fault never"),
        ("/gates/adder/gamma", 404, "not there in gamma"),
        ("/gates/export/junit?task=adder&language=gamma", 404, "not there in gamma"),
        ("/gates/diff?before=3333333&after=11111111", 404, "universe 3333333"),
        ("/gates/diff?before=11&after=22222222", 409, "too short"),
        ("/gates/diff?before=11111111", 400, "query.after"),
        ("/gates?colour=blue", 422, "query.colour"),
        (f"/gates?task={'a' * 300}", 422, "query.task"),
        (f"/gates/matrix?language={'a' * 300}", 422, "query.language"),
        (f"/runs?task={'a' * 300}", 422, "query.task"),
        ("/campaigns/no/where", 404, "Not Found"),
        ("/campaigns%0A", 404, "control characters"),
        ("/nowhere", 401, "role admin"),
    ],
)
def test_errors_are_problem_documents(address: str, path: str, status: int, words: str) -> None:
    code, media, problem = ask(address + path)
    assert (code, media) == (status, "application/problem+json")
    assert problem["status"] == status
    assert words in problem["detail"]
    assert problem["title"]
    assert problem["type"]


@pytest.mark.parametrize(
    "name", ["evil.example", "evil.example:8600", "[::1", "127.0.0.1.evil.example"]
)
def test_a_page_whose_name_leads_to_this_machine_reads_nothing(address: str, name: str) -> None:
    request = urllib.request.Request(f"{address}/gates", headers={"Host": name})
    status, media, problem = ask(request)
    assert (status, media) == (421, "application/problem+json")
    assert "does not answer to the name" in problem["detail"]
    assert (
        ask(urllib.request.Request(f"{address}/gates", headers={"Host": "LOCALHOST:1"}))[0] == 200
    )


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/gates/diff?before=%25%25%25%25%25%25&after=______", 404),
        (
            "/gates/diff?before=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80&after=%C3%9F%C3%9F%C3%9F%C3%9F",
            409,
        ),
        (f"/gates/diff?before={'1' * 20_000}&after=11111111", 422),
        ("/gates?task=%00", 404),
        ("/gates/diff?before=1%001%001%00&after=11111111", 404),
    ],
)
def test_odd_digits_and_names_are_problems_and_never_wildcards(
    address: str, path: str, status: int
) -> None:
    code, media, _ = ask(address + path)
    assert (code, media) == (status, "application/problem+json")


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", 405), ("OPTIONS", 405), ("POST", 401), ("DELETE", 401)]
)
def test_anybody_may_only_read(address: str, method: str, status: int) -> None:
    with pytest.raises(urllib.error.HTTPError, match=str(status)):
        urllib.request.urlopen(
            urllib.request.Request(f"{address}/gates", method=method), timeout=20
        )


def test_the_description_names_every_operation_and_the_shape_of_problems(address: str) -> None:
    described = ask(f"{address}/openapi.json")[2]
    assert described["openapi"].startswith("3.")
    for path in (
        "/api/gates",
        "/api/gates/matrix",
        "/api/gates/diff",
        "/api/gates/{task}/{language}",
    ):
        responses = described["paths"][path]["get"]["responses"]
        assert {"200", "401", "404", "503"} <= responses.keys()
        told = responses["404"]["content"]["application/problem+json"]
        assert told["schema"] == {"$ref": "#/components/schemas/Problem"}
        assert told["example"]["remedy"]
    problem = described["components"]["schemas"]["Problem"]
    assert {"type", "title", "status", "detail", "remedy"} <= problem["properties"].keys()
    for reference in references(described):
        found = described
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]


def references(value: Any) -> Iterator[str]:
    """Every `$ref` below a JSON value."""
    found = cast("dict[str, Any]", value if isinstance(value, dict) else {})
    if isinstance(found.get("$ref"), str):
        yield found["$ref"]
    for item in cast("list[Any]", value if isinstance(value, list) else list(found.values())):
        yield from references(item)
