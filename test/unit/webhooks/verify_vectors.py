"""Runs docs/verify.py over the shared vectors and prints its answers as one JSON array, for verify.test.ts."""

import json
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "docs"))

from verify import verify_signature  # noqa: E402

vectors = json.loads((here / "signature-vectors.json").read_text("utf-8"))
answers = []
for vector in vectors:
    result = verify_signature(
        vector["secret"],
        vector["header"],
        vector["body"].encode("utf-8"),
        tolerance_seconds=vector.get("toleranceSeconds", 300),
        now=vector["now"],
    )
    answers.append("valid" if result.valid else result.reason)
print(json.dumps(answers))
