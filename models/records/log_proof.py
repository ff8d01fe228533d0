"""Proofs that a leaf is in the log, as files (c2sp.org/tlog-proof@v1)."""

import base64
from dataclasses import dataclass

from models.records.exact_base64 import read_base64
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
        _, index, *hashes = head.split("\n")
        path = tuple(read_base64(each) for each in hashes)
        number = index.removeprefix("index ")
        proof = LogProof(int(number), path, note)
    except ValueError as error:
        raise RecordRefused(Reason.BAD_PROOF, f"{what} is no proof: {error}.") from error
    shaped = proof.index >= 0 and all(len(each) == HASH_BYTES for each in path)
    if not shaped or proof.as_text().encode() != data:
        raise RecordRefused(Reason.BAD_PROOF, f"{what} is no proof of the form {HEAD}.")
    return proof


def is_proved(leaf: bytes, proof: LogProof, checkpoint: Checkpoint) -> bool:
    """Whether the proof leads from the hash of a leaf to the root of the checkpoint."""
    found = root_from_inclusion(leaf, proof.index, checkpoint.size, proof.path)
    return found == checkpoint.root
