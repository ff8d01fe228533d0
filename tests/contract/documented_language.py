"""The language that CONTRIBUTING.md adds, taken from its own words."""

import re
import shutil
from pathlib import Path

import tasks_catalog

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = Path(tasks_catalog.__file__).parent / "languages"
DOCUMENTED = "ruby"
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lay_out_languages(folder: Path) -> Path:
    """A folder below `folder` with the bundled definitions and the documented one, written as a
    person who follows the text writes it."""
    languages = folder / "languages"
    shutil.copytree(BUNDLED, languages)
    (languages / f"{DOCUMENTED}.toml").write_text(documented_definition(), encoding="utf-8")
    return languages


def documented_definition() -> str:
    """The whole file as it stands in the text."""
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    (found,) = [block for block in blocks if f'\nid = "{DOCUMENTED}"\n' in block]
    return found
