"""Asks about a payment with the published Python library, unmodified, which verifies the answer itself."""

import os
import sys

from com.alipay.ams.api.default_alipay_client import DefaultAlipayClient
from com.alipay.ams.api.exception.exception import AlipayApiException
from com.alipay.ams.api.request.pay.alipay_pay_query_request import AlipayPayQueryRequest

client = DefaultAlipayClient(
    os.environ["GATEWAY_URL"],
    os.environ["CLIENT_ID"],
    # The library writes "RSA PRIVATE KEY" around it, so it has to be the body of a PKCS#1 file.
    os.environ["PRIVATE_KEY_PKCS1"],
    os.environ["GATEWAY_PUBLIC_KEY"],
)
request = AlipayPayQueryRequest()
request.payment_id = os.environ["PAYMENT_ID"]

try:
    print(client.execute(request))
except AlipayApiException as refused:
    sys.exit(f"refused: {refused}")
