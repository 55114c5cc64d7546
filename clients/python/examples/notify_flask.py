"""Receives webhooks with Flask."""

import os

from flask import Flask, Response, request
from flask.typing import ResponseReturnValue
from shop import order, settle, transaction

from tollgate_client import SignatureVerificationError, Tollgate, apply_once

client = Tollgate()
app = Flask(__name__)


@app.post("/notify")
def notify() -> ResponseReturnValue:
    query = f"?{request.query_string.decode()}" if request.query_string else ""
    try:
        notification = client.webhooks.construct(
            path=request.path + query, headers=request.headers.items(), body=request.get_data()
        )
    except SignatureVerificationError:
        return Response(status=401)
    # An exception here rolls back the transaction and returns HTTP 500, and the gateway sends the
    # webhook again.
    with transaction() as cursor:
        apply_once(cursor, "sqlite", notification, lambda: settle(cursor, notification))
    return Response(client.webhooks.ack(), mimetype="application/json")


@app.post("/orders")
def orders() -> ResponseReturnValue:
    return order(request.get_json()["paymentRequestId"])


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "8000")))
