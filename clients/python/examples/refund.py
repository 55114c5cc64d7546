"""Refunds a part of a payment: `python refund.py PAYMENT_ID`."""

import os
import sys

from tollgate_client import Money, Tollgate, new_request_id
from tollgate_client.models import InquiryRefundRequest, RefundRequest

client = Tollgate()
request = RefundRequest(
    refund_request_id=new_request_id("refund"),
    payment_id=sys.argv[1],
    refund_amount=Money.of("EUR", "2.50").to_amount(),
    refund_reason="The second coffee was cold.",
    refund_notify_url=f"{os.environ.get('SHOP_URL', 'https://shop.example')}/notify?shop=1",
)
client.payments.refund(request)

inquiry = InquiryRefundRequest(refund_request_id=request.refund_request_id)
refund = client.payments.wait_for_final_refund(inquiry)
print(f"Refund {refund.refund_id}: {refund.refund_status}", flush=True)
