# Receives Farmboard's webhooks on 127.0.0.1:8000, checks each signature and prints each event. It needs nothing but
# Python 3, and is meant to be copied: WEBHOOK_SECRET is the secret that creating the channel answered.
import hashlib
import hmac
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
PORT = int(os.environ.get("RECEIVER_PORT", "8000"))
MAX_BYTES = 1_000_000


def is_genuine(secret: str, raw_body: bytes, header: str) -> bool:
    """The signature covers the raw bytes: check it before anything is parsed."""
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), header.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BYTES:
            self.close_connection = True
            return self.answer(413)
        raw_body = self.rfile.read(int(length))
        if not is_genuine(SECRET, raw_body, self.headers.get("X-Svc-Signature", "")):
            print("refused: the signature is not of this secret", flush=True)
            return self.answer(401)
        event = json.loads(raw_body)
        sequence = self.headers["X-Svc-Sequence"]
        print(f"{event['occurred_at']} #{sequence} {event['event']} {json.dumps(event['data'])}", flush=True)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Each event is a line already."""


if SECRET == "":
    sys.exit("Set WEBHOOK_SECRET to the secret of the webhook channel: WEBHOOK_SECRET=whsec_… python3 receiver.py")
print(f"Receiving webhooks on http://127.0.0.1:{PORT}/", flush=True)
ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
