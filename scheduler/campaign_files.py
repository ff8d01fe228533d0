"""Campaign files: TOML that a person writes, read with all of its faults at once."""

import re
from pathlib import Path

from models.errors import InputFault, InvalidInput, NotFound
from models.named_file import read_named_text
from models.schemas.campaign import CampaignSpec
from models.toml_text import read_toml
from scheduler.campaign_faults import VariantsByTask, checked_campaign
from scheduler.toml_lines import field_lines, place_of

LARGEST = 4 << 20
"""Bytes of a campaign file: as many as the API takes."""
SYNTAX_PLACE = re.compile(r"\(at (line \d+, column \d+|end of document)\)")


def read_campaign_file(path: Path, variants: VariantsByTask) -> CampaignSpec:
    """The campaign that the file at `path` describes.

    Raises NotFound where there is no file, and InvalidInput that lists every fault with its
    field, its line and the remedy.
    """
    try:
        text = read_named_text(path, LARGEST)
    except FileNotFoundError as error:
        raise NotFound(
            f"there is no campaign file {path}", remedy="Write one with `gradefarm campaign new`."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        fault = InputFault("the file", str(error), "make it a UTF-8 text that you can read")
        raise InvalidInput(str(path), [fault]) from error
    return parse_campaign(text, str(path), variants)


def parse_campaign(text: str, source: str, variants: VariantsByTask) -> CampaignSpec:
    """The campaign described by a TOML text; `source` names it in faults.

    Raises InvalidInput that lists every fault.
    """
    try:
        raw = read_toml(text)
    except ValueError as error:
        raise InvalidInput(source, [_syntax_fault(str(error))]) from error
    lines = field_lines(text)
    return checked_campaign(
        raw, source, variants, lambda path: place_of(path, lines) if path else "the file"
    )


def _syntax_fault(message: str) -> InputFault:
    found = SYNTAX_PLACE.search(message)
    place = found[1] if found else "syntax"
    problem = SYNTAX_PLACE.sub("", message).strip()
    return InputFault(place, f"not TOML: {problem}", "mend the syntax there")
