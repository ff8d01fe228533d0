"""The documents in a log of Inspect: one JSON file, or an archive with a file for each sample."""

import importlib
import io
import lzma
import struct
import zipfile
import zlib
from types import ModuleType

from pydantic import JsonValue

from models.interchange.foreign_values import foreign_json
from models.interchange.source_file import Reading

Document = dict[str, JsonValue]

HEADER = "header.json"
SAMPLES = "samples/"
ZSTANDARD = 93
"""The number of the compression in archives; Python's own reader knows it from 3.14 on."""
LOCAL_HEADER = struct.Struct("<26xHH")
"""What stands before the bytes of a file in an archive ends with the lengths of name and extra."""
MOST_BYTES = 1 << 29
"""Of all samples together, unpacked."""
BROKEN = (
    *(ValueError, OSError, EOFError, RuntimeError, NotImplementedError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, IndexError),
)
"""What is raised for archives that are damaged, encrypted, or packed some other way."""
CONVERT = "convert it: inspect log convert LOG --to json --output-dir FOLDER"


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
    try:
        with zipfile.ZipFile(io.BytesIO(reading.file.data)) as archive:
            return _documents_in(reading, archive)
    except BROKEN as error:
        reading.fault("the archive", f"can't be read: {error}", "give a log that was finished")
    reading.finish()
    raise AssertionError("a fault was noted")


def _documents_in(
    reading: Reading, archive: zipfile.ZipFile
) -> tuple[Document, list[tuple[str, Document]]]:
    members = {one.filename: one for one in archive.infolist()}
    names = sorted(name for name in members if name.startswith(SAMPLES))
    for name in (HEADER,) if HEADER not in members else ():
        reading.fault(name, "is not in the archive", "give a log that was finished")
    if not names:
        reading.fault(SAMPLES, "is empty", "write the log with its samples")
    size = sum(members[name].file_size for name in names)
    if size > MOST_BYTES:
        problem = f"has {size} bytes unpacked, {MOST_BYTES} are read"
        reading.fault(SAMPLES, problem, "split the log, or import its samples as JSON")
    reading.finish()
    found = [(name, _json_in(reading, archive, members[name])) for name in (HEADER, *names)]
    reading.finish()
    return found[0][1], found[1:]


def _json_in(reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Document:
    try:
        value = foreign_json(_bytes_of(reading, archive, member))
    except BROKEN as error:
        reading.fault(member.filename, f"can't be read: {error}")
        return {}
    if not isinstance(value, dict):
        reading.fault(member.filename, "is no JSON object")
        return {}
    return value


def _bytes_of(reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """No more than the archive says that it is: what was added up is what is read."""
    if member.file_size > MOST_BYTES:
        raise ValueError(f"it has {member.file_size} bytes unpacked, {MOST_BYTES} are read")
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    zstd = _zstandard()
    if zstd is None:
        remedy = f"install the extra inspect of gradefarm, or {CONVERT}"
        reading.fault(reading.file.name, "is compressed with Zstandard", remedy)
        reading.finish()
        raise AssertionError("a fault was noted")
    data = reading.file.data
    begin = member.header_offset + LOCAL_HEADER.size
    name, extra = LOCAL_HEADER.unpack_from(data, member.header_offset)
    begin += name + extra
    return _unpacked(zstd, data[begin : begin + member.compress_size], member.file_size)


def _unpacked(zstd: ModuleType, data: bytes, size: int) -> bytes:
    """All frames, up to `size` bytes."""
    unpacked = b""
    while data and len(unpacked) < size:
        frame = zstd.ZstdDecompressor()
        try:
            unpacked += frame.decompress(data, size - len(unpacked))
        except zstd.ZstdError as error:
            raise ValueError(str(error)) from error
        if not frame.eof:
            break
        data = frame.unused_data
    return unpacked


def _zstandard() -> ModuleType | None:
    for module in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(module)
        except ImportError:
            continue
    return None
