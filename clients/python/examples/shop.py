"""The shop of the examples: its orders, here in SQLite, and how a webhook updates them."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from tollgate_client import APPLY_ONCE_SQL, Notification
from tollgate_client.models import PaymentNotification


@contextmanager
def transaction() -> Iterator[sqlite3.Cursor]:
    """Commits at the end, and rolls back on an exception."""
    file = os.environ.get("DATABASE_FILE", "shop.sqlite")
    with closing(sqlite3.connect(file)) as database, database:
        yield database.cursor()


with transaction() as setup:
    # Add this table to your migrations. There is also one for "postgresql" and "mysql".
    setup.execute(APPLY_ONCE_SQL["sqlite"].create_table)
    setup.execute(
        "create table if not exists orders (payment_request_id text primary key, status text)"
    )


def settle(cursor: sqlite3.Cursor, notification: Notification) -> None:
    """Updates your order from a webhook about a payment. Webhooks report failures, too."""
    payment = notification.body
    # The payment is pending, or its money is only held: it is not paid yet.
    if not isinstance(payment, PaymentNotification) or not (payment.is_paid or payment.is_failed):
        return
    order_id = payment.payment_request_id
    cursor.execute("select status from orders where payment_request_id = ?", (order_id,))
    if cursor.fetchone() is None:
        # If the order does not exist yet, fail: the gateway sends the webhook again, and the order
        # may exist by then.
        raise LookupError(f"There is no order {order_id} yet.")
    status = "PAID" if payment.is_paid else "FAILED"
    cursor.execute("update orders set status = ? where payment_request_id = ?", (status, order_id))


def order(payment_request_id: str) -> dict[str, str]:
    """Creates an order and returns its status, for another route of the shop that is unrelated to
    the gateway.
    """
    with transaction() as cursor:
        cursor.execute("insert or ignore into orders values (?, 'WAITING')", (payment_request_id,))
        cursor.execute(
            "select status from orders where payment_request_id = ?", (payment_request_id,)
        )
        return {"paymentRequestId": payment_request_id, "status": cursor.fetchone()[0]}
