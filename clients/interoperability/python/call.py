"""Calls one operation with the published, unmodified Python library, which verifies responses and
webhooks itself.
"""

import json
import os
import sys

from com.alipay.ams.api.default_alipay_client import DefaultAlipayClient
from com.alipay.ams.api.exception.exception import AlipayApiException
from com.alipay.ams.api.model.amount import Amount
from com.alipay.ams.api.model.env import Env
from com.alipay.ams.api.model.order import Order
from com.alipay.ams.api.model.payment_method import PaymentMethod
from com.alipay.ams.api.model.product_code_type import ProductCodeType
from com.alipay.ams.api.model.terminal_type import TerminalType
from com.alipay.ams.api.request.notify.alipay_pay_result_notify import AlipayPayResultNotify
from com.alipay.ams.api.request.pay.alipay_pay_cancel_request import AlipayPayCancelRequest
from com.alipay.ams.api.request.pay.alipay_pay_query_request import AlipayPayQueryRequest
from com.alipay.ams.api.request.pay.alipay_pay_request import AlipayPayRequest
from com.alipay.ams.api.request.pay.alipay_refund_request import AlipayRefundRequest
from com.alipay.ams.api.tools.webhook_tool import check_signature
from rsa.pkcs1 import VerificationError


def euro(value):
    amount = Amount()
    amount.currency = "EUR"
    amount.value = value
    return amount


def pay(payment_request_id):
    order = Order()
    order.reference_order_id = "order-1001"
    order.order_description = "Two coffees"
    order.order_amount = euro("1250")
    method = PaymentMethod()
    method.payment_method_type = "GCASH"
    env = Env()
    env.terminal_type = TerminalType.WEB

    request = AlipayPayRequest()
    request.product_code = ProductCodeType.CASHIER_PAYMENT
    request.payment_request_id = payment_request_id
    request.order = order
    request.payment_amount = euro("1250")
    request.payment_method = method
    request.payment_redirect_url = "https://shop.example/thanks"
    request.payment_notify_url = os.environ["NOTIFY_URL"]
    request.env = env
    return request


def inquire(payment_id):
    request = AlipayPayQueryRequest()
    request.payment_id = payment_id
    return request


def cancel(payment_id):
    request = AlipayPayCancelRequest()
    request.payment_id = payment_id
    return request


def refund(payment_id):
    request = AlipayRefundRequest()
    request.refund_request_id = f"refund-of-{payment_id}"
    request.payment_id = payment_id
    request.refund_amount = euro("250")
    return request


def read_notification(text):
    told = json.loads(text)
    signed = [told["method"], told["path"], os.environ["CLIENT_ID"], told["requestTime"], told["body"]]
    if not check_signature(*signed, told["signature"], os.environ["GATEWAY_PUBLIC_KEY"]):
        raise AlipayApiException("the webhook does not verify")
    notification = AlipayPayResultNotify(told["body"])
    result = {"resultCode": notification.result.result_code}
    return json.dumps({"result": result, "paymentId": notification.payment_id})


client = DefaultAlipayClient(
    os.environ["GATEWAY_URL"],
    os.environ["CLIENT_ID"],
    # The library writes "RSA PRIVATE KEY" around the text, so it must be the body of a PKCS#1 file.
    os.environ["PRIVATE_KEY_PKCS1"],
    os.environ["GATEWAY_PUBLIC_KEY"],
)
operations = {"pay": pay, "inquire": inquire, "cancel": cancel, "refund": refund}
operation, identifier = sys.argv[1:]

try:
    if operation == "notification":
        print(read_notification(identifier))
    else:
        print(client.execute(operations[operation](identifier)))
except (AlipayApiException, VerificationError) as refused:
    sys.exit(f"refused: {refused}")
