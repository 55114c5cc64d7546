"""Receives webhooks with Django. You need `notify` and `settle`; the rest makes this file run
alone.
"""

import json
import os
from typing import Any
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from tollgate_client import (
    APPLY_ONCE_SQL,
    Notification,
    SignatureVerificationError,
    Tollgate,
    apply_once,
)
from tollgate_client.models import PaymentNotification

client = Tollgate()


@csrf_exempt
@require_POST
def notify(request: HttpRequest) -> HttpResponse:
    try:
        notification = client.webhooks.construct(
            path=request.get_full_path(), headers=request.headers, body=request.body
        )
    except SignatureVerificationError:
        return HttpResponse(status=401)
    # An exception here rolls back the transaction and returns HTTP 500, and the gateway sends the
    # webhook again.
    with transaction.atomic(), connection.cursor() as cursor:
        # Other dialects are "postgresql" and "mysql", like `connection.vendor`.
        apply_once(cursor, "sqlite", notification, lambda: settle(cursor, notification))
    return HttpResponse(client.webhooks.ack(), content_type="application/json")


def settle(cursor: Any, notification: Notification) -> None:
    """Updates your order from a webhook about a payment. Webhooks report failures, too."""
    payment = notification.body
    # The payment is pending, or its money is only held: it is not paid yet.
    if not isinstance(payment, PaymentNotification) or not (payment.is_paid or payment.is_failed):
        return
    if status_of(cursor, payment.payment_request_id) is None:
        # If the order does not exist yet, fail: the gateway sends the webhook again, and the order
        # may exist by then.
        raise LookupError(f"There is no order {payment.payment_request_id} yet.")
    status = "PAID" if payment.is_paid else "FAILED"
    sql = "update orders set status = %s where payment_request_id = %s"
    cursor.execute(sql, (status, payment.payment_request_id))


def status_of(cursor: Any, order_id: str) -> Any:
    cursor.execute("select status from orders where payment_request_id = %s", (order_id,))
    row = cursor.fetchone()
    return row and row[0]


@csrf_exempt
@require_POST
def orders(request: HttpRequest) -> HttpResponse:
    order_id = json.loads(request.body)["paymentRequestId"]
    with connection.cursor() as cursor:
        if status_of(cursor, order_id) is None:
            cursor.execute("insert into orders values (%s, 'WAITING')", (order_id,))
        return JsonResponse({"paymentRequestId": order_id, "status": status_of(cursor, order_id)})


urlpatterns = [path("notify", notify), path("orders", orders)]

if __name__ == "__main__":
    file = os.environ.get("DATABASE_FILE", "shop.sqlite")
    settings.configure(
        ROOT_URLCONF=__name__,
        SECRET_KEY="example",
        ALLOWED_HOSTS=["127.0.0.1"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": file}},
    )
    application = get_wsgi_application()
    with connection.cursor() as setup:
        # In a shop, use migrations instead. `migrations.RunSQL` accepts the first statement
        # unchanged.
        setup.execute(APPLY_ONCE_SQL["sqlite"].create_table)
        setup.execute(
            "create table if not exists orders (payment_request_id text primary key, status text)"
        )
    make_server("127.0.0.1", int(os.environ.get("PORT", "8000")), application).serve_forever()
