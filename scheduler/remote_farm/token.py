"""The token that a farm elsewhere is asked with: of the environment, or of a file."""

import os
import stat
from pathlib import Path

from models.errors import InputFault, InvalidInput, Refused
from models.settings import Settings


def token_of(settings: Settings) -> str:
    """GRADEFARM_TOKEN, else what the token file holds; empty where there is neither.

    Raises Refused for a file that others can read, InvalidInput for what is no token.
    """
    given = settings.token.get_secret_value()
    source = "GRADEFARM_TOKEN"
    if not given:
        source, given = str(settings.token_file), _kept(settings.token_file)
    if not given.isascii() or not given.isprintable() or " " in given:
        fault = InputFault("the token", "holds what no token has", "one line, nothing before it")
        raise InvalidInput(source, [fault])
    return given


def _kept(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        fault = InputFault("the file", f"can't be read ({type(error).__name__})", "mend or move it")
        raise InvalidInput(str(path), [fault]) from error
    if mode & 0o077:
        raise Refused(
            f"{path} holds a token, and others may read it (mode {mode:03o}).",
            remedy=f"chmod 600 {path}, and make a new token if somebody may have seen it.",
        )
    return text.strip()
