"""Takes a payment. The client reads its keys and the gateway's address from the environment."""

import os

from tollgate_client import DeclinedError, Money, Tollgate, new_request_id
from tollgate_client.models import Env, Order, PaymentMethod, PayRequest, ProductCode

client = Tollgate()
price = Money.of("EUR", "12.50").to_amount()
shop_url = os.environ.get("SHOP_URL", "https://shop.example")

request = PayRequest(
    product_code=ProductCode.CASHIER_PAYMENT,
    # Store this id with the order before the call. A request with the same id is always the same
    # payment.
    payment_request_id=new_request_id("order-1001"),
    order=Order(
        reference_order_id="order-1001",
        order_description="Two coffees",
        order_amount=price,
    ),
    payment_amount=price,
    payment_method=PaymentMethod(payment_method_type="GCASH"),
    payment_redirect_url=f"{shop_url}/thanks",
    # Without this URL you get no webhook; see notify.py.
    payment_notify_url=f"{shop_url}/notify?shop=1",
    env=Env(terminal_type="WEB"),
)

try:
    answer = client.payments.pay(request)
except DeclinedError as error:
    raise SystemExit(f"No payment: {error.code}. {error.advice}") from error

if answer.is_pending:
    print(f"Payment {answer.payment_id} waits for the buyer at {answer.normal_url}", flush=True)

payment = client.payments.wait_for_final(
    {"paymentRequestId": request.payment_request_id}, timeout=60
)
if not payment.is_paid:
    raise SystemExit(f"Not paid: {payment.payment_status}")
print(f"Paid: {payment.payment_id}", flush=True)
