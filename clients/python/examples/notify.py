"""Takes notifications with nothing but Python: verify, apply once, acknowledge."""

import os
import sqlite3
from http.server import BaseHTTPRequestHandler, HTTPServer

from tollgate_client import APPLY_ONCE_SQL, SignatureVerificationError, Tollgate, apply_once
from tollgate_client.models import PaymentNotification

client = Tollgate()
database = sqlite3.connect(":memory:")
database.execute(APPLY_ONCE_SQL["sqlite"].create_table)


class Notify(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            notification = client.webhooks.construct(
                path=self.path, headers=self.headers.items(), body=body
            )
        except SignatureVerificationError as error:
            print(error, flush=True)
            self.send_error(401)
            return

        def apply() -> None:
            if isinstance(notification.body, PaymentNotification):
                print(f"Order {notification.body.payment_request_id} is paid", flush=True)

        # What you write about the order belongs into the same transaction.
        with database:
            outcome = apply_once(database.cursor(), "sqlite", notification, apply)
        print(f"{notification.subject}: {outcome}", flush=True)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(client.webhooks.ack().encode())


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Notify).serve_forever()
