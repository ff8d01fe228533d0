"""The documents in a log of Inspect: one JSON file, or an archive with a file for each sample."""

import importlib
import io
import json
import struct
import zipfile
from typing import Protocol, cast

from pydantic import JsonValue

from models.interchange.source_file import Reading

Document = dict[str, JsonValue]

HEADER = "header.json"
SAMPLES = "samples/"
ZSTANDARD = 93
"""The number of the compression in archives; Python's own reader knows it from 3.14 on."""
LOCAL_HEADER = struct.Struct("<26xHH")
"""What stands before the bytes of a file in an archive ends with the lengths of name and extra."""
MOST_BYTES = 1 << 30
CONVERT = "convert it: inspect log convert LOG --to json --output-dir FOLDER"


class _Decompress(Protocol):
    def __call__(self, data: bytes) -> bytes: ...


def documents_of(reading: Reading) -> tuple[Document, list[tuple[str, Document]]]:
    """The log's own document, and the samples, each with its place. Raises InvalidInput."""
    if zipfile.is_zipfile(io.BytesIO(reading.file.data)):
        return _of_archive(reading)
    whole = reading.document()
    samples = whole.get("samples")
    found = samples if isinstance(samples, list) else []
    placed = [(f"samples.{at}", one) for at, one in enumerate(found) if isinstance(one, dict)]
    if not placed:
        reading.fault("samples", "is missing, or holds none", "write the log with its samples")
        reading.finish()
    return whole, placed


def _of_archive(reading: Reading) -> tuple[Document, list[tuple[str, Document]]]:
    with zipfile.ZipFile(io.BytesIO(reading.file.data)) as archive:
        members = {one.filename: one for one in archive.infolist()}
        names = sorted(name for name in members if name.startswith(SAMPLES))
        for name in (HEADER,) if HEADER not in members else ():
            reading.fault(name, "is not in the archive", "give a log that was finished")
        if not names:
            reading.fault(SAMPLES, "is empty", "write the log with its samples")
        reading.finish()
        header = _json_in(reading, archive, members[HEADER])
        placed = [(name, _json_in(reading, archive, members[name])) for name in names]
    reading.finish()
    return header, placed


def _json_in(reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Document:
    try:
        value = cast("JsonValue", json.loads(_bytes_of(reading, archive, member)))
    except (ValueError, RecursionError, zipfile.BadZipFile) as error:
        reading.fault(member.filename, f"can't be read: {error}")
        return {}
    if not isinstance(value, dict):
        reading.fault(member.filename, "is no JSON object")
        return {}
    return value


def _bytes_of(reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.file_size > MOST_BYTES:
        raise ValueError(f"it has {member.file_size} bytes unpacked, {MOST_BYTES} are read")
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    decompress = _zstandard()
    if decompress is None:
        remedy = f"install the extra inspect of gradefarm, or {CONVERT}"
        reading.fault(reading.file.name, "is compressed with Zstandard", remedy)
        reading.finish()
        raise AssertionError("a fault was noted")
    data = reading.file.data
    begin = member.header_offset + LOCAL_HEADER.size
    name, extra = LOCAL_HEADER.unpack_from(data, member.header_offset)
    begin += name + extra
    return decompress(data[begin : begin + member.compress_size])


def _zstandard() -> _Decompress | None:
    for module in ("compression.zstd", "backports.zstd"):
        try:
            return cast("_Decompress", importlib.import_module(module).decompress)
        except ImportError:
            continue
    return None
