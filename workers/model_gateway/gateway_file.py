"""Reads the gateway's file and the keys that it names: what is wrong with either, all at once."""

from dataclasses import dataclass
from pathlib import Path

from models.errors import InputFault, InvalidInput, NotFound
from models.private_files import who_else_reads
from models.settings import process_environment
from workers.model_gateway.configuration import (
    GatewayConfiguration,
    KeyPlace,
    configuration_faults,
    key_places,
    parse_toml,
)


@dataclass(frozen=True, slots=True)
class GatewayFile:
    """What a gateway begins with. `warnings` are for people: what works, and should not stay."""

    configuration: GatewayConfiguration
    keys: dict[str, str]
    warnings: tuple[str, ...] = ()


def read_gateway_file(path: Path, *, with_keys: bool = True) -> GatewayFile:
    """The file, and the key of each provider that has one. Raises NotFound, and InvalidInput for
    every fault of the file and of the keys.

    A relative `key_file` lies beside the gateway's file.
    """
    raw = parse_toml(_read(path), str(path))
    faults = configuration_faults(raw)
    keys: dict[str, str] = {}
    warnings: list[str] = []
    for name, place in (key_places(raw) if with_keys else {}).items():
        field = f"providers.{name}.{place.field}"
        keys[name], problem, remedy = _key(place, path.parent)
        if problem:
            faults.append(InputFault(field, problem, remedy))
        elif place.file and (readers := who_else_reads(path.parent / place.file)):
            warnings.append(f"{field}: {readers}")
    if faults:
        raise InvalidInput(str(path), faults)
    return GatewayFile(GatewayConfiguration.model_validate(raw), keys, tuple(warnings))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(
            f"{path} is not there.",
            remedy="Write it as the README shows, or set GRADEFARM_GATEWAY_CONFIG.",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        fault = InputFault("file", f"can't be read ({type(error).__name__})", "make it readable")
        raise InvalidInput(str(path), [fault]) from error


def _key(place: KeyPlace, folder: Path) -> tuple[str, str, str]:
    """A key, or what is wrong with it and the remedy, without what may be the key itself."""
    if place.variable:
        key = process_environment().get(place.variable, "").strip()
        return key, "" if key else "is not set or empty", f"set {place.variable} for the gateway"
    remedy = "name a file with the key that this user can read"
    try:
        key = (folder / place.file).read_text(encoding="utf-8").strip()
    except OSError as error:
        return "", f"can't be read ({error.strerror})", remedy
    except UnicodeDecodeError:
        return "", "is no text", remedy
    return key, "" if key else "holds no key", remedy
