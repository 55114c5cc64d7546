"""The shop behind the examples: its orders, here in SQLite, and what a notification does to them."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from tollgate_client import APPLY_ONCE_SQL, Notification
from tollgate_client.models import PaymentNotification


@contextmanager
def transaction() -> Iterator[sqlite3.Cursor]:
    """Commits at its end, and rolls back when something was raised."""
    file = os.environ.get("DATABASE_FILE", "shop.sqlite")
    with closing(sqlite3.connect(file)) as database, database:
        yield database.cursor()


with transaction() as setup:
    # This table belongs into your migrations, beside your own; there is one for "postgresql" and "mysql", too.
    setup.execute(APPLY_ONCE_SQL["sqlite"].create_table)
    setup.execute(
        "create table if not exists orders (payment_request_id text primary key, status text)"
    )


def settle(cursor: sqlite3.Cursor, notification: Notification) -> None:
    """Writes what the gateway tells of a payment to your order. It tells of failures as well."""
    payment = notification.body
    # Pending, or held until you capture it: nothing is paid yet.
    if not isinstance(payment, PaymentNotification) or not (payment.is_paid or payment.is_failed):
        return
    order_id = payment.payment_request_id
    cursor.execute("select status from orders where payment_request_id = ?", (order_id,))
    if cursor.fetchone() is None:
        # Nothing is lost by saying no: the gateway comes again, and then the order may be there.
        raise LookupError(f"There is no order {order_id} yet.")
    status = "PAID" if payment.is_paid else "FAILED"
    cursor.execute("update orders set status = ? where payment_request_id = ?", (status, order_id))


def order(payment_request_id: str) -> dict[str, str]:
    """For another route of the shop, which has nothing to do with the gateway."""
    with transaction() as cursor:
        cursor.execute("insert or ignore into orders values (?, 'WAITING')", (payment_request_id,))
        cursor.execute(
            "select status from orders where payment_request_id = ?", (payment_request_id,)
        )
        return {"paymentRequestId": payment_request_id, "status": cursor.fetchone()[0]}
