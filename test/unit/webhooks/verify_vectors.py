"""Runs docs/verify.py over shared vectors and prints its answers as one JSON array, for verify.test.ts.

The argument names the vectors: `signature` or `ed25519`.
"""

import json
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "docs"))

from verify import Verification, verify_ed25519_signature, verify_signature  # noqa: E402


def verify(vector: dict) -> Verification:
    body = vector["body"].encode("utf-8")
    options = {"tolerance_seconds": vector.get("toleranceSeconds", 300), "now": vector["now"]}
    if "publicKey" not in vector:
        return verify_signature(vector["secret"], vector["header"], body, **options)
    key, id, timestamp, signature = (vector[name] for name in ("publicKey", "id", "timestamp", "signature"))
    return verify_ed25519_signature(key, id, timestamp, signature, body, **options)


results = [verify(vector) for vector in json.loads((here / f"{sys.argv[1]}-vectors.json").read_text("utf-8"))]
print(json.dumps(["valid" if result.valid else result.reason for result in results]))
