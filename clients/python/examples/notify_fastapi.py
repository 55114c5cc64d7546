"""Receives webhooks with FastAPI and PostgreSQL: `uvicorn notify_fastapi:app`."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import uvicorn
from fastapi import FastAPI, Request, Response

from tollgate_client import (
    APPLY_ONCE_SQL,
    Notification,
    SignatureVerificationError,
    Tollgate,
    apply_once_async,
)
from tollgate_client.models import PaymentNotification

client = Tollgate()


async def connect() -> psycopg.AsyncConnection[Any]:
    """Opens a connection for `async with`, which commits at the end and rolls back on an exception.
    """
    return await psycopg.AsyncConnection.connect(os.environ["DATABASE_URL"])


@asynccontextmanager
async def tables(_app: FastAPI) -> AsyncIterator[None]:
    # Use migrations in a shop.
    async with await connect() as database:
        await database.execute(APPLY_ONCE_SQL["postgresql"].create_table.encode())
        await database.execute(
            "create table if not exists orders (payment_request_id text primary key, status text)"
        )
    yield


app = FastAPI(lifespan=tables)


@app.post("/notify")
async def notify(request: Request) -> Response:
    # The raw bytes, because the signature covers them. A model as parameter would be parsed first.
    body = await request.body()
    path = request.scope["raw_path"].decode()
    query = request.scope["query_string"].decode()
    try:
        notification = client.webhooks.construct(
            path=f"{path}?{query}" if query else path,
            headers=request.headers.items(),
            body=body,
        )
    except SignatureVerificationError:
        return Response(status_code=401)
    # An exception here rolls back the transaction and returns HTTP 500, and the gateway sends the
    # webhook again.
    async with await connect() as database:

        async def execute(sql: str, parameters: tuple[Any, ...]) -> int:
            return (await database.execute(sql.encode(), parameters)).rowcount

        await apply_once_async(
            execute, "postgresql", notification, lambda: settle(database, notification)
        )
    return Response(client.webhooks.ack(), media_type="application/json")


async def settle(database: psycopg.AsyncConnection[Any], notification: Notification) -> None:
    """Updates your order from a webhook about a payment. Webhooks report failures, too."""
    payment = notification.body
    # The payment is pending, or its money is only held: it is not paid yet.
    if not isinstance(payment, PaymentNotification) or not (payment.is_paid or payment.is_failed):
        return
    status = "PAID" if payment.is_paid else "FAILED"
    changed = await database.execute(
        "update orders set status = %s where payment_request_id = %s",
        (status, payment.payment_request_id),
    )
    if changed.rowcount == 0:
        # If the order does not exist yet, fail: the gateway sends the webhook again, and the order
        # may exist by then.
        raise LookupError(f"There is no order {payment.payment_request_id} yet.")


@app.post("/orders")
async def orders(order: dict[str, str]) -> dict[str, str]:
    order_id = order["paymentRequestId"]
    async with await connect() as database:
        await database.execute(
            "insert into orders values (%s, 'WAITING') on conflict do nothing", (order_id,)
        )
        sql = "select status from orders where payment_request_id = %s"
        row = await (await database.execute(sql, (order_id,))).fetchone()
    return {"paymentRequestId": order_id, "status": row[0] if row else ""}


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "8000")), log_level="warning")
