"""Takes a payment with dictionaries instead of objects: wire names, checked by your editor."""

from tollgate_client import Tollgate, new_request_id
from tollgate_client.params import PayRequestDict

client = Tollgate()
request: PayRequestDict = {
    "productCode": "CASHIER_PAYMENT",
    "paymentRequestId": new_request_id("order-1002"),
    "order": {
        "referenceOrderId": "order-1002",
        "orderDescription": "Tea",
        "orderAmount": {"currency": "EUR", "value": "300"},
    },
    "paymentAmount": {"currency": "EUR", "value": "300"},
    "paymentMethod": {"paymentMethodType": "GCASH"},
    "paymentRedirectUrl": "https://shop.example/thanks",
    "env": {"terminalType": "WEB"},
}
answer = client.payments.pay(request)
print(answer.to_dict()["paymentId"], flush=True)

cancelled = client.payments.cancel({"paymentRequestId": request["paymentRequestId"]})
print(f"Cancelled: {cancelled.is_success or cancelled.is_pending}", flush=True)
