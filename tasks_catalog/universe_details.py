"""What a universe is made of, piece by piece, to say what changed between two of them. Pure."""

from collections.abc import Iterator, Mapping

from models.canonical import digest_of
from models.identifiers import Digest, short_digest
from models.schemas.task import SealedHalf
from tasks_catalog.content_hash import FileDigest, VariantTrees, tagged

DIGITS = 16
"""Enough to tell apart what one catalogue ever held; universes themselves have whole digests."""


def universe_details(
    parts: Mapping[str, Digest],
    checks: Mapping[str, Digest],
    sealed: SealedHalf,
    trees: VariantTrees,
) -> dict[str, str]:
    """A short digest of each of `parts`, and of every check, fault and file, by its name.

    `checks` are the digests of the checks by id.

    Names are those of `content_hash.PARTS`, and `check <id>`, `fault <id>`, `file <path>` with the
    path inside the package.
    """
    asked = {f"check {check_id}": digest for check_id, digest in checks.items()}
    whole = {**parts, **asked, **dict(_faults(sealed)), **dict(_files(sealed, trees))}
    return {name: short_digest(digest, DIGITS) for name, digest in whole.items()}


def _faults(sealed: SealedHalf) -> Iterator[tuple[str, Digest]]:
    for fault in sealed.manifest.faults:
        yield f"fault {fault.id}", digest_of(tagged(fault.model_dump(mode="json")))


def _files(sealed: SealedHalf, trees: VariantTrees) -> Iterator[tuple[str, Digest]]:
    language = sealed.public.language
    for folder, files in (
        (f"public/{language}", trees.starter),
        (f"sealed/{language}/reference", trees.reference),
        (f"sealed/{language}/faults", tuple(trees.fault_patches.values())),
        (f"sealed/{language}", trees.suite),
    ):
        for file in files:
            yield f"file {folder}/{file.path}", _content(file)


def _content(file: FileDigest) -> Digest:
    return digest_of([file.executable, file.digest])
