"""Verifies the X-SVC-Signature header of a webhook delivery. Standard library only: copy it into your receiver."""

import hashlib
import hmac
import re
import time
from typing import NamedTuple, Optional, Union


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
    if not re.fullmatch(r"[0-9]{1,15}", t):
        return Verification(False, "invalid_timestamp")
    signatures = parts.get("v1", [])
    if not signatures:
        return Verification(False, "missing_signature")
    # bytes.fromhex skips spaces, so other characters must be rejected first.
    if not all(re.fullmatch(r"(?:[0-9a-fA-F]{2})*", v1) for v1 in signatures):
        return Verification(False, "malformed_signature")

    seconds = int(time.time()) if now is None else now
    if not abs(seconds - int(t)) <= tolerance_seconds:
        return Verification(False, "outside_tolerance")

    body = raw_body.encode("utf-8") if isinstance(raw_body, str) else raw_body
    expected = hmac.new(secret.encode("utf-8"), t.encode("ascii") + b"." + body, hashlib.sha256).digest()
    received = [bytes.fromhex(v1) for v1 in signatures]
    if any(len(signature) != len(expected) for signature in received):
        return Verification(False, "malformed_signature")
    if not any(hmac.compare_digest(signature, expected) for signature in received):
        return Verification(False, "signature_mismatch")
    return Verification(True)
