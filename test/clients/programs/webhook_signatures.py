"""Verifies deliveries of a running service with the libraries of PyPI and docs/verify.py.

Before, during and after an overlap of two secrets, and of two key pairs.
"""

import base64
import json
import os
import pathlib
import queue
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks import Webhook, WebhookVerificationError

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs"))

from verify import verify_ed25519_signature, verify_signature  # noqa: E402

BASE_URL, CUSTOMER_ID, WRITE_KEY = (os.environ[name] for name in ("BASE_URL", "CUSTOMER_ID", "WRITE_KEY"))
OVERLAP_SECONDS = 4
ENDPOINTS = f"/api/v1/customers/{CUSTOMER_ID}/webhook-endpoints"

Delivery = tuple[dict[str, str], bytes]
received: "queue.Queue[Delivery]" = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.put(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def call(method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {WRITE_KEY}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def deliver(endpoint: int) -> Delivery:
    sent = call("POST", f"{ENDPOINTS}/{endpoint}/test", {"event": "conversion.recorded"})
    while True:
        delivery = received.get(timeout=30)
        # Delivery is at least once: an earlier one may come again.
        if delivery[0]["x-svc-delivery-id"] == sent["id"]:
            return delivery


def library_accepts_hmac(secret: str, delivery: Delivery) -> bool:
    headers, body = delivery
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


def library_accepts_ed25519(public_key: str, delivery: Delivery) -> bool:
    headers, body = delivery
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    for signature in headers["webhook-signature"].split(" "):
        version, _, encoded = signature.partition(",")
        try:
            if version == "v1a":
                key.verify(base64.b64decode(encoded), signed)
                return True
        except InvalidSignature:
            continue
    return False


def accepts_hmac(secret: str, delivery: Delivery) -> list[bool]:
    headers, body = delivery
    published = verify_signature(secret, headers["x-svc-signature"], body)
    return [library_accepts_hmac(secret, delivery), published.valid]


def accepts_ed25519(public_key: str, delivery: Delivery) -> list[bool]:
    headers, body = delivery
    id, timestamp, signature = (headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    published = verify_ed25519_signature(public_key, id, timestamp, signature, body)
    return [library_accepts_ed25519(public_key, delivery), published.valid]


def check(signing: str, url: str) -> None:
    created = call("POST", ENDPOINTS, {"url": url, "signing": signing})
    endpoint = created["endpoint"]["id"]
    rotate = f"{ENDPOINTS}/{endpoint}/rotate-secret"
    accepts = accepts_hmac if signing == "hmac" else accepts_ed25519
    before = deliver(endpoint)
    rotated = call("POST", rotate, {"overlapSeconds": OVERLAP_SECONDS})
    during = deliver(endpoint)
    time.sleep(OVERLAP_SECONDS + 1)
    after = deliver(endpoint)
    call("DELETE", f"{ENDPOINTS}/{endpoint}")
    old, new = (
        (created["secret"], rotated["secret"])
        if signing == "hmac"
        else (created["endpoint"]["publicKey"], rotated["publicKey"])
    )
    results = [(accepts(old, delivery), accepts(new, delivery)) for delivery in (before, during, after)]
    yes, no = [True, True], [False, False]
    assert results == [(yes, no), (yes, yes), (no, yes)], (signing, results)


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
for signing in ("hmac", "ed25519"):
    check(signing, f"http://127.0.0.1:{server.server_port}/hooks")
