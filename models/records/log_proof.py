"""Proofs that a leaf is in the log, as files (c2sp.org/tlog-proof@v1)."""

import base64
from dataclasses import dataclass

from models.records.merkle import root_from_inclusion
from models.records.refusal import Reason, RecordRefused
from models.records.signed_note import HASH_BYTES, Checkpoint

HEAD = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class LogProof:
    """Where a leaf stands, the hashes that lead from it to the root, and a signed checkpoint."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: str

    def as_text(self) -> str:
        """The proof as a file."""
        hashes = "".join(f"{base64.b64encode(each).decode()}\n" for each in self.path)
        return f"{HEAD}\nindex {self.index}\n{hashes}\n{self.checkpoint}"


def read_proof(data: bytes, what: str) -> LogProof:
    """Read a proof. Raises RecordRefused (bad_proof), naming `what`."""
    try:
        head, _, note = data.decode("utf-8").partition("\n\n")
        title, index, *hashes = head.split("\n")
        path = tuple(base64.b64decode(each, validate=True) for each in hashes)
        word, _, number = index.partition(" ")
        position = int(number)
    except ValueError as error:
        raise RecordRefused(Reason.BAD_PROOF, f"{what} is no proof: {error}.") from error
    shaped = title == HEAD and word == "index" and str(position) == number and position >= 0
    if not shaped or any(len(each) != HASH_BYTES for each in path):
        raise RecordRefused(Reason.BAD_PROOF, f"{what} is no proof of the form {HEAD}.")
    return LogProof(position, path, note)


def is_proved(leaf: bytes, proof: LogProof, checkpoint: Checkpoint) -> bool:
    """Whether the proof leads from the hash of a leaf to the root of the checkpoint."""
    found = root_from_inclusion(leaf, proof.index, checkpoint.size, proof.path)
    return found == checkpoint.root
