"""DSSE envelopes: signatures over the bytes of a payload and its type, never over parsed values."""

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from models.records.refusal import Reason, RecordRefused
from models.records.signing_keys import SigningKey, is_signed
from models.schemas.trust import TrustedKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload with its signatures as (key id, signature)."""

    payload: bytes
    signatures: tuple[tuple[str, bytes], ...]
    payload_type: str = PAYLOAD_TYPE

    def as_json(self) -> dict[str, Any]:
        """The envelope in the JSON form of DSSE."""
        return {
            "payload": base64.b64encode(self.payload).decode(),
            "payloadType": self.payload_type,
            "signatures": [
                {"keyid": key, "sig": base64.b64encode(signature).decode()}
                for key, signature in self.signatures
            ],
        }


def signed_bytes(payload_type: str, payload: bytes) -> bytes:
    """What is signed: the pre-authentication encoding of DSSE v1."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, key: SigningKey) -> Envelope:
    """`payload` signed by one key."""
    return Envelope(payload, ((key.id, key.sign(signed_bytes(PAYLOAD_TYPE, payload))),))


def read_envelope(text: str) -> Envelope:
    """As `envelope_of`, of the text of that JSON."""
    try:
        return envelope_of(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise RecordRefused(Reason.BAD_SEAL, "an envelope is not JSON.") from error


def envelope_of(value: object) -> Envelope:
    """Read the JSON form. Raises RecordRefused (bad_seal, payload_type) for anything else: what
    nobody signed may not stand in it."""
    try:
        given = cast("dict[str, Any]", value)
        signatures = tuple(
            (str(one["keyid"]), base64.b64decode(one["sig"], validate=True))
            for one in cast("list[dict[str, Any]]", given["signatures"])
        )
        payload = base64.b64decode(given["payload"], validate=True)
        payload_type = given["payloadType"]
    except (KeyError, TypeError, ValueError) as error:
        raise RecordRefused(Reason.BAD_SEAL, "record.dsse.json holds no envelope.") from error
    if payload_type != PAYLOAD_TYPE:
        raise RecordRefused(
            Reason.PAYLOAD_TYPE, f"an envelope is of the type {str(payload_type)[:80]!r}."
        )
    found = Envelope(payload, signatures)
    if found.as_json() != value:
        raise RecordRefused(
            Reason.BAD_SEAL, "an envelope holds more than what was signed, or has another form."
        )
    return found


def signer_of(envelope: Envelope, keys: Iterable[TrustedKey], role: str) -> TrustedKey:
    """The trusted key with that role that signed, alone.

    Raises RecordRefused: bad_signature where a trusted key is named that did not sign this,
    role_missing where no signature is by one, bad_seal where there is another beside it.
    """
    known = {key.id: key for key in keys if key.role == role}
    data = signed_bytes(envelope.payload_type, envelope.payload)
    for name, signature in envelope.signatures:
        if name in known:
            if not is_signed(known[name].public, data, signature):
                raise RecordRefused(
                    Reason.BAD_SIGNATURE,
                    f"the signature in the name of {name} is not that key's over this payload.",
                )
            if len(envelope.signatures) > 1:
                raise RecordRefused(Reason.BAD_SEAL, f"beside {name}, somebody else signed.")
            return known[name]
    named = ", ".join(name[:80] for name, _ in envelope.signatures[:3]) or "nobody"
    raise RecordRefused(
        Reason.ROLE_MISSING,
        f"no trusted {role} key signed; {named} did.",
        remedy="If the farm's keys were changed since your trust file was made, ask for a new one "
        "(`gradefarm keys trust`), the way you got the first; else don't use this record.",
    )
