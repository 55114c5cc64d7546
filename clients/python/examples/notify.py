"""Receives webhooks with the standard library only: verify, apply once, acknowledge."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from shop import order, settle, transaction

from tollgate_client import SignatureVerificationError, Webhooks, apply_once

# To receive webhooks, you need only a client id and the gateway's public key, and no private key.
webhooks = Webhooks.of()


class Shop(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            self.answer(200, self.notify(body) if self.path.startswith("/notify") else tell(body))
        except SignatureVerificationError:
            self.answer(401)
        except Exception as error:  # noqa: BLE001
            # Any response but the acknowledgement makes the gateway send the webhook again.
            self.log_error("%r", error)
            self.answer(500)

    def notify(self, body: bytes) -> str:
        notification = webhooks.construct(path=self.path, headers=self.headers.items(), body=body)
        # A webhook can arrive twice, and webhooks can arrive out of order.
        with transaction() as cursor:
            apply_once(cursor, "sqlite", notification, lambda: settle(cursor, notification))
        return webhooks.ack()

    def answer(self, status: int, body: str = "") -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())


def tell(body: bytes) -> str:
    return json.dumps(order(json.loads(body)["paymentRequestId"]))


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Shop).serve_forever()
