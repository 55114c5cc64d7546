"""A shop in one file: it starts a payment, receives the webhook, and refunds.

    npx --no tollgate dev     in one terminal: the gateway, and the settings for this file
    .venv/bin/python shop.py  in another
"""

from __future__ import annotations

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread

from tollgate_client import Money, SignatureVerificationError, Tollgate, new_request_id
from tollgate_client.models import (
    Env,
    Order,
    PaymentMethod,
    PaymentNotification,
    PayRequest,
    ProductCode,
    RefundNotification,
    RefundRequest,
)
from tollgate_client.webhooks import Notification

# Reads address, client id and keys, as `tollgate dev` writes them. Environment variables have precedence.
for file in (Path(".env"), Path(".tollgate/.env")):
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        name, _, value = line.partition("=")
        if name.startswith("TOLLGATE_"):
            os.environ.setdefault(name, value)
if "TOLLGATE_CLIENT_ID" not in os.environ:
    sys.exit("No settings found. Start the gateway in this folder first: npx --no tollgate dev")

client = Tollgate()
port = int(os.environ.get("PORT", "3000"))
shop_url = f"http://127.0.0.1:{port}"
paid: Queue[str] = Queue()


class Shop(BaseHTTPRequestHandler):
    """Verifies, applies and acknowledges webhooks. If the response is not the acknowledgement, the gateway sends
    the webhook again.
    """

    def do_POST(self) -> None:
        # Read the raw bytes: the signature covers these bytes, and not JSON that was parsed and written again.
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            apply(
                client.webhooks.construct(path=self.path, headers=self.headers.items(), body=body)
            )
            self.answer(200, client.webhooks.ack())
        except SignatureVerificationError as error:
            print(f"refused: {error}", file=sys.stderr, flush=True)
            self.answer(401)

    def do_GET(self) -> None:
        self.answer(200, "Thank you. See the terminal for the result.\n")

    def answer(self, status: int, body: str = "") -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json" if body.startswith("{") else "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Disables the access log of the web server."""


def apply(notification: Notification) -> None:
    """Update your order here, once and in a transaction: `apply_once` of the library does this."""
    told = notification.body
    if isinstance(told, PaymentNotification):
        say(f"verified notifyPayment: {told.result.result_code}, payment {told.payment_id}")
        # Check `is_paid` and never result_status: a pending payment has the result status S as well.
        if told.is_paid:
            paid.put(told.payment_id)
    elif isinstance(told, RefundNotification):
        say(f"verified notifyRefund: {told.refund_status}, refund {told.refund_id}")
    else:
        say(f"verified {notification.kind}")


def say(text: str) -> None:
    print(text, flush=True)


try:
    server = ThreadingHTTPServer(("127.0.0.1", port), Shop)
except OSError:
    sys.exit(f"Port {port} is in use. Choose another: PORT=3001 .venv/bin/python shop.py")
serving = Thread(target=server.serve_forever, daemon=True)
serving.start()

price = Money.of("EUR", "12.50").to_amount()
payment = client.payments.pay(
    PayRequest(
        product_code=ProductCode.CASHIER_PAYMENT,
        # Store this id with the order before you send the request: repeats with this id are the same payment.
        payment_request_id=new_request_id("order-1001"),
        order=Order(
            reference_order_id="order-1001", order_description="Two coffees", order_amount=price
        ),
        payment_amount=price,
        payment_method=PaymentMethod(payment_method_type="GCASH"),
        payment_redirect_url=f"{shop_url}/thanks",
        payment_notify_url=f"{shop_url}/notify",
        env=Env(terminal_type="WEB"),
    )
)
say(f"Pay as the buyer at {payment.normal_url}")
say(f"or with: npx --no tollgate approve {payment.payment_id}")

try:
    refund = client.payments.refund(
        RefundRequest(
            payment_id=paid.get(),
            refund_request_id=new_request_id("refund-1001"),
            refund_amount=price,
            refund_notify_url=f"{shop_url}/notify",
        )
    )
    say(f"refunded: {refund.result.result_code}")
    say("Still listening. Ctrl-C stops it.")
    serving.join()
except KeyboardInterrupt:
    sys.exit(130)
