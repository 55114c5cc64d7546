"""Tests a shop without a gateway: the gateway in memory signs its responses like a real one."""

import unittest

from tollgate_client import Tollgate
from tollgate_client.testing import FakeClock, FakeGateway, Reply, test_keys, verify_request


class Shop(unittest.TestCase):
    def test_a_payment_survives_a_broken_connection(self) -> None:
        merchant, gateway = test_keys(), test_keys()
        result = {"resultCode": "SUCCESS", "resultStatus": "S", "resultMessage": "success"}
        replies = [
            Reply(fault=ConnectionResetError()),
            Reply(body={"result": result, "paymentStatus": "SUCCESS"}),
        ]
        fake = FakeGateway(replies, gateway.private_key)
        client = Tollgate(
            client_id="SANDBOX_SHOP",
            private_key=merchant.private_key,
            gateway_public_keys=gateway.public_key,
            base_url="https://gateway.example",
            transport=fake,
            clock=FakeClock(),
        )
        payment = client.payments.inquiry_payment({"paymentId": "p-1"})
        self.assertTrue(payment.is_paid)
        self.assertEqual(payment.attempts, 2)
        sent = verify_request(fake.requests[1], merchant.public_key)
        self.assertEqual(sent, {"paymentId": "p-1"})


unittest.main()
