"""Inquires a payment with the client library, which reads keys and address from the environment."""

import sys

from tollgate_client import Tollgate
from tollgate_client.models import InquiryPaymentRequest

client = Tollgate(environment="sandbox")
print(client.payments.inquiry_payment(InquiryPaymentRequest(payment_id=sys.argv[1])).payment_status)
