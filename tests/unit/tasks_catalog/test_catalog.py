"""The catalogue gives halves and universes, cheaply and never stale."""

import json
import shutil
from pathlib import Path

import pytest

from models.errors import NotFound, Refused
from models.schemas.check import Check
from tasks_catalog.catalog import Catalog, open_catalog
from tasks_catalog.content_hash import PARTS, check_digest, manifest_digest
from tasks_catalog.half_export import Half, WholePackage, export_half
from tasks_catalog.package_faults import PackageInvalid
from tests.unit.tasks_catalog.small_package import HIDDEN, write_languages, write_package


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    package = write_package(tmp_path / "tasks")
    assert package.is_dir()
    return open_catalog(tmp_path / "tasks", tmp_path / "tasks", write_languages(tmp_path))


def test_checks_come_in_plan_order_whatever_the_order_of_records(
    catalog: Catalog, tmp_path: Path
) -> None:
    before = catalog.variant("adder", "alpha").universe
    digest = catalog.manifest_digest("adder")
    (tmp_path / "tasks/adder/sealed/hidden_checks.json").write_text(json.dumps(HIDDEN[::-1]))
    sealed = catalog.sealed_half("adder", "alpha")
    assert [check.id for check in sealed.checks] == list(sealed.manifest.check_ids)
    assert catalog.variant("adder", "alpha").universe == before
    assert catalog.manifest_digest("adder") == digest


def test_a_machine_without_the_sealed_half_still_loads_the_public_one(
    catalog: Catalog, tmp_path: Path
) -> None:
    shutil.copytree(tmp_path / "tasks", tmp_path / "agent")
    shutil.rmtree(tmp_path / "agent/adder/sealed")
    for sealed in (None, tmp_path / "agent"):
        public = open_catalog(tmp_path / "agent", sealed, tmp_path / "languages")
        assert public.public_half("adder", "beta").visible_checks[0].id == "shown-sum"
        assert not public.holds_sealed("adder")
        with pytest.raises(Refused, match="sealed half"):
            public.sealed_half("adder", "beta")
        with pytest.raises(Refused, match="sealed half"):
            public.variant("adder", "beta")


def test_halves_in_separate_roots_make_the_same_universe(catalog: Catalog, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "tasks", tmp_path / "one")
    shutil.rmtree(tmp_path / "one/adder/sealed")
    shutil.copytree(tmp_path / "tasks/adder/sealed", tmp_path / "two/adder/sealed")
    split = open_catalog(tmp_path / "one", tmp_path / "two", tmp_path / "languages")
    assert split.variant("adder", "alpha") == catalog.variant("adder", "alpha")


def test_a_half_is_parsed_once_until_its_files_change(catalog: Catalog, tmp_path: Path) -> None:
    first = catalog.sealed_half("adder", "alpha")
    assert catalog.sealed_half("adder", "alpha") is first
    ticket = tmp_path / "tasks/adder/public/ticket.md"
    ticket.write_text("Other words\n")
    assert catalog.sealed_half("adder", "alpha").public.ticket == "Other words\n"


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("tasks/adder/public/ticket.md", {"ticket"}),
        ("tasks/adder/public/alpha/main.txt", {"starter_files"}),
        ("tasks/adder/sealed/alpha/reference/main.txt", {"reference_files"}),
        ("tasks/adder/sealed/alpha/faults/drops-sign.patch", {"fault_patches"}),
        ("tasks/adder/public/beta/main.txt", set[str]()),
        ("tasks/adder/sealed/beta/reference/main.txt", set[str]()),
        ("languages/beta.toml", set[str]()),
    ],
)
def test_a_changed_file_forks_exactly_the_variants_that_it_decides(
    catalog: Catalog, tmp_path: Path, file: str, parts: set[str]
) -> None:
    before = catalog.universe_parts("adder", "alpha")
    (tmp_path / file).write_bytes((tmp_path / file).read_bytes() + b"\n")
    after = catalog.universe_parts("adder", "alpha")
    assert {part for part in PARTS if before[part] != after[part]} == parts


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("agent_wall_s = 60", "agent_wall_s = 61", "limits"),
        ('protected = ["run_tests.sh", "tests/"]', 'protected = ["tests/"]', "protected"),
        ('fails = ["hidden-sum"]', 'fails = ["hidden-zero"]', "starter_fails"),
        ('permitted = ["hidden-zero"]', "permitted = []", "faults"),
    ],
)
def test_a_changed_rule_of_the_manifest_forks_the_universe(
    catalog: Catalog, tmp_path: Path, old: str, new: str, part: str
) -> None:
    before = catalog.universe_parts("adder", "alpha")
    manifest = tmp_path / "tasks/adder/task.toml"
    manifest.write_text(manifest.read_text().replace(old, new))
    after = catalog.universe_parts("adder", "alpha")
    assert {name for name in PARTS if before[name] != after[name]} == {part}


def test_the_x_bit_counts_and_the_time_of_change_does_not(catalog: Catalog, tmp_path: Path) -> None:
    script = tmp_path / "tasks/adder/public/alpha/run_tests.sh"
    before = catalog.variant("adder", "alpha")
    script.touch()
    assert catalog.variant("adder", "alpha") == before
    script.chmod(0o755)
    assert catalog.variant("adder", "alpha") != before


def test_a_language_definition_counts_but_not_its_words(catalog: Catalog, tmp_path: Path) -> None:
    before = catalog.variant("adder", "alpha")
    definition = tmp_path / "languages/alpha.toml"
    definition.write_text(definition.read_text().replace("The language", "The tongue"))
    assert catalog.variant("adder", "alpha") == before
    assert catalog.language("alpha").title == "The tongue alpha"
    definition.write_text(definition.read_text().replace("/w/main.txt", "/w/other.txt"))
    assert catalog.variant("adder", "alpha") != before


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("tasks/adder/public/ticket.md", True),
        ("tasks/adder/public/visible_checks.json", True),
        ("tasks/adder/public/alpha/main.txt", True),
        ("tasks/adder/task.toml", True),
        ("languages/alpha.toml", True),
        ("tasks/adder/public/beta/main.txt", False),
        ("tasks/adder/sealed/hidden_checks.json", False),
        ("tasks/adder/sealed/alpha/reference/main.txt", False),
        ("tasks/adder/sealed/alpha/faults/drops-sign.patch", False),
    ],
)
def test_the_public_digest_tells_of_all_that_an_agent_is_given_and_of_nothing_sealed(
    catalog: Catalog, tmp_path: Path, file: str, told: bool
) -> None:
    before = catalog.variant("adder", "alpha")
    changed = (tmp_path / file).read_text()
    for old, new in (("[3]", "[4]"), ("6000006", "6000007"), ("wall_s = 60", "wall_s = 61")):
        changed = changed.replace(old, new)
    changed = changed.replace("/w/main.txt", "/w/other.txt")
    is_text = not file.endswith((".json", ".toml"))
    (tmp_path / file).write_text(changed + ("and more\n" if is_text else ""))
    after = catalog.variant("adder", "alpha")
    assert (after.public_digest != before.public_digest) is told
    assert (after.universe != before.universe) is not file.endswith("beta/main.txt")


def test_a_machine_without_the_sealed_half_finds_the_same_public_digest(
    catalog: Catalog, tmp_path: Path
) -> None:
    planned = catalog.variant("adder", "alpha").public_digest
    shutil.copytree(tmp_path / "tasks", tmp_path / "agent")
    shutil.rmtree(tmp_path / "agent/adder/sealed")
    bare = open_catalog(tmp_path / "agent", None, tmp_path / "languages")
    assert bare.public_digest("adder", "alpha") == planned


def export(root: Path, catalog_folder: Path) -> tuple[Path, Path]:
    """Both halves of a catalogue, each in a folder of its own."""
    package = catalog_folder / "adder"
    manifest = open_catalog(catalog_folder, catalog_folder, root / "languages").task("adder")
    whole = WholePackage(manifest, package / "task.toml", package, package)
    for half in Half:
        export_half([whole], half, root / half)
    return root / Half.PUBLIC, root / Half.SEALED


def test_an_exported_public_half_names_nothing_hidden_and_has_the_same_digest(
    catalog: Catalog, tmp_path: Path
) -> None:
    public, _ = export(tmp_path, tmp_path / "tasks")
    text = "".join(path.read_text() for path in public.rglob("*") if path.is_file())
    for secret in ("hidden-sum", "Adds two negative", "drops-sign", "-6000006", "\nsolved"):
        assert secret not in text
    bare = open_catalog(public, None, tmp_path / "languages")
    planned = catalog.variant("adder", "alpha").public_digest
    assert bare.public_digest("adder", "alpha") == planned
    assert bare.public_half("adder", "beta").manifest.check_ids == ("shown-sum",)
    for ask in (bare.task, lambda task: bare.variant(task, "alpha")):
        with pytest.raises(Refused, match="sealed half of adder"):
            ask("adder")
    with pytest.raises(Refused, match="a grader needs the sealed half of adder"):
        bare.refuse_public_alone("a grader")


def test_both_exported_halves_together_are_the_catalogue_that_they_came_from(
    catalog: Catalog, tmp_path: Path
) -> None:
    public, sealed = export(tmp_path, tmp_path / "tasks")
    both = open_catalog(public, sealed, tmp_path / "languages")
    assert both.task("adder") == catalog.task("adder")
    assert both.variant("adder", "beta") == catalog.variant("adder", "beta")
    both.refuse_public_alone("a grader")
    manifest = sealed / "adder/task.toml"
    manifest.write_text(manifest.read_text().replace("wall_s = 60", "wall_s = 61"))
    with pytest.raises(PackageInvalid, match="export both halves"):
        both.task("adder")


def test_every_part_of_a_universe_is_explained(catalog: Catalog) -> None:
    assert set(catalog.universe_parts("adder", "alpha")) == set(PARTS)


def test_an_integer_and_a_float_of_the_same_size_are_different_questions() -> None:
    record = json.loads(json.dumps(HIDDEN[0]))
    digests = set[str]()
    for answer in (1, 1.0, True, "1", 2**60, 2.0**60, {"$float": "1.0"}, {"$$float": "1.0"}):
        record["expect"]["stdout"] = [answer]
        digests.add(check_digest(Check.model_validate(record)))
    assert len(digests) == 8


def test_the_manifest_digest_does_not_depend_on_order() -> None:
    checks = [Check.model_validate(record) for record in HIDDEN]
    assert manifest_digest(checks) == manifest_digest(checks[::-1])
    assert manifest_digest(checks) != manifest_digest(checks[:1])


def test_what_is_not_there_is_named_with_what_is(catalog: Catalog) -> None:
    with pytest.raises(NotFound, match="adder"):
        catalog.task("no-such")
    with pytest.raises(NotFound, match="adder"):
        catalog.task("../adder")
    with pytest.raises(NotFound, match="alpha, beta"):
        catalog.public_half("adder", "gamma")
    with pytest.raises(NotFound, match="alpha, beta"):
        catalog.language("gamma")


def test_a_package_whose_records_are_not_the_planned_ones_is_not_loaded(
    catalog: Catalog, tmp_path: Path
) -> None:
    (tmp_path / "tasks/adder/sealed/hidden_checks.json").write_text(json.dumps(HIDDEN[:1]))
    with pytest.raises(PackageInvalid, match="each once"):
        catalog.sealed_half("adder", "alpha")
