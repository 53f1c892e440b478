"""Verifies the signatures of a webhook delivery: copy it into your receiver.

`verify_signature` verifies X-SVC-Signature and needs the standard library only. `verify_ed25519_signature` verifies
webhook-signature of an endpoint with `signing: ed25519`, and needs the package `cryptography`.
"""

import base64
import hashlib
import hmac
import re
import time
from typing import NamedTuple, Optional, Union

# Ed25519 signatures to verify: the body is hashed for each, and an attacker can send hundreds.
MAX_ED25519_SIGNATURES = 8


class Verification(NamedTuple):
    """Check `valid` first: never act on a body that was not verified. `reason` is None if it is valid."""

    valid: bool
    reason: Optional[str] = None


def verify_signature(
    secret: str,
    header: Optional[str],
    raw_body: Union[bytes, str],
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> Verification:
    """Verifies that a delivery was signed with your endpoint's secret within the tolerance: one signature must match.

    A signature covers the timestamp and the body, not the id headers: deduplicate by the ids in the body's data.

    secret: the whole string, including `whsec_`.
    header: value of X-SVC-Signature, `t=<Unix seconds>,v1=<hexadecimal HMAC>`. For some time after a rotation, it can
        have a second `v1`, by the previous secret.
    raw_body: raw request body, before JSON parsing.
    tolerance_seconds: largest difference between the sender's clock and yours.
    now: Unix time in seconds; the current time by default.
    """
    if not secret:
        raise ValueError("The signing secret is not set.")
    if not header:
        return Verification(False, "missing_header")

    parts = {}
    for part in header.split(","):
        key, separator, value = part.strip().partition("=")
        if not key or not separator or (key == "t" and key in parts):
            return Verification(False, "malformed_header")
        parts.setdefault(key, []).append(value)
    t = parts.get("t", [""])[0]
    if not _is_timestamp(t):
        return Verification(False, "invalid_timestamp")
    values = parts.get("v1", [])
    if not values:
        return Verification(False, "missing_signature")
    # bytes.fromhex skips spaces, so other characters must be rejected first.
    if not all(re.fullmatch(r"(?:[0-9a-fA-F]{2})*", v1) for v1 in values):
        return Verification(False, "malformed_signature")
    if not _is_recent(t, tolerance_seconds, now):
        return Verification(False, "outside_tolerance")

    signed = t.encode("ascii") + b"." + _to_bytes(raw_body)
    expected = hmac.new(secret.encode("utf-8"), signed, hashlib.sha256).digest()
    signatures = [bytes.fromhex(v1) for v1 in values]
    if any(len(signature) != len(expected) for signature in signatures):
        return Verification(False, "malformed_signature")
    if not any(hmac.compare_digest(signature, expected) for signature in signatures):
        return Verification(False, "signature_mismatch")
    return Verification(True)


def verify_ed25519_signature(
    public_key: str,
    webhook_id: Optional[str],
    webhook_timestamp: Optional[str],
    webhook_signature: Optional[str],
    raw_body: Union[bytes, str],
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> Verification:
    """Verifies that a delivery was signed with your endpoint's key pair within the tolerance: one signature must match.

    Signatures cover the id: deduplicate by it.

    public_key: public key of the endpoint, the whole string, including `whpk_`.
    webhook_id: value of webhook-id, the id of the event.
    webhook_timestamp: value of webhook-timestamp, Unix seconds.
    webhook_signature: value of webhook-signature, `v1a,<base64 signature>`. For some time after a rotation, it has a
        second signature after a space, by the previous key.
    raw_body, tolerance_seconds, now: as for `verify_signature`.
    """
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise RuntimeError("Ed25519 needs the package cryptography: pip install cryptography") from error
    if not re.fullmatch(r"whpk_[A-Za-z0-9+/]{43}=", public_key):
        raise ValueError("The public key must be whpk_ and the base64 of 32 bytes.")
    if not webhook_id or not webhook_timestamp or not webhook_signature:
        return Verification(False, "missing_header")
    if not _is_timestamp(webhook_timestamp):
        return Verification(False, "invalid_timestamp")
    # Signatures of other versions are ignored, as Standard Webhooks requires.
    values = [part[4:] for part in webhook_signature.split(" ") if part.startswith("v1a,")]
    signatures = [base64.b64decode(v1a) for v1a in values if re.fullmatch(r"[A-Za-z0-9+/]{86}==", v1a)]
    if not signatures:
        return Verification(False, "malformed_signature" if values else "missing_signature")
    if not _is_recent(webhook_timestamp, tolerance_seconds, now):
        return Verification(False, "outside_tolerance")

    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key[5:]))
    signed = f"{webhook_id}.{webhook_timestamp}.".encode("utf-8", "surrogateescape") + _to_bytes(raw_body)
    for signature in signatures[:MAX_ED25519_SIGNATURES]:
        try:
            key.verify(signature, signed)
            return Verification(True)
        except InvalidSignature:
            continue
    return Verification(False, "signature_mismatch")


def _is_timestamp(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,15}", text) is not None


def _is_recent(timestamp: str, tolerance_seconds: float, now: Optional[float]) -> bool:
    seconds = int(time.time()) if now is None else now
    return abs(seconds - int(timestamp)) <= tolerance_seconds


def _to_bytes(raw_body: Union[bytes, str]) -> bytes:
    return raw_body.encode("utf-8") if isinstance(raw_body, str) else raw_body
