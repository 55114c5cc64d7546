from __future__ import annotations

import json
import unittest
from typing import Any

import tollgate_client
from tollgate_client import Notification, models

from .shop import CLIENT_ID, GATEWAY, MERCHANT, shop

PATH = "/notify?shop=1"
PAID: dict[str, Any] = {
    "notifyType": "PAYMENT_RESULT",
    "result": {"resultCode": "SUCCESS", "resultStatus": "S", "resultMessage": "success"},
    "paymentId": "p-1",
    "paymentRequestId": "order-1001-attempt-1",
    "paymentCreateTime": "2026-11-15T09:30:00+00:00",
    "sequence": 3,
    "newField": "kept",
}


def told(fields: Any, **change: Any) -> Notification:
    client, _, _ = shop()
    body = json.dumps(fields)
    headers = client.webhooks.sign(path=PATH, body=body, private_key=GATEWAY.private_key)
    return client.webhooks.construct(**{"path": PATH, "headers": headers, "body": body, **change})


class Webhooks(unittest.TestCase):
    def test_a_webhook_is_verified_and_typed(self) -> None:
        notification = told(PAID)
        self.assertIsInstance(notification.body, models.PaymentNotification)
        self.assertEqual(notification.kind, "notifyPayment")
        self.assertEqual((notification.subject, notification.sequence), ("notifyPayment p-1", 3))
        self.assertEqual(notification.body.extra, {"newField": "kept"})

    def test_a_receiver_needs_no_private_key(self) -> None:
        client, _, clock = shop()
        body = json.dumps(PAID)
        headers = client.webhooks.sign(path=PATH, body=body, private_key=GATEWAY.private_key)

        def receiving(key: str) -> tollgate_client.Webhooks:
            keys = {1: key}
            return tollgate_client.Webhooks.of(
                client_id=CLIENT_ID, gateway_public_keys=keys, clock=clock
            )

        webhooks = receiving(GATEWAY.public_key)
        notification = webhooks.construct(path=PATH, headers=headers, body=body)
        self.assertEqual(notification.subject, "notifyPayment p-1")
        strangers = receiving(MERCHANT.public_key)
        with self.assertRaises(tollgate_client.SignatureVerificationError) as caught:
            strangers.construct(path=PATH, headers=headers, body=body)
        self.assertEqual(caught.exception.reason, "MISMATCH")
        with self.assertRaisesRegex(
            tollgate_client.ConfigurationError, "There is no gateway_public_keys"
        ):
            tollgate_client.Webhooks.of(client_id=CLIENT_ID)

    def test_headers_of_every_framework_are_accepted(self) -> None:
        client, _, _ = shop()
        body = json.dumps(PAID).encode()
        plain = client.webhooks.sign(path=PATH, body=body, private_key=GATEWAY.private_key)
        forms: list[Any] = [
            plain,
            list(plain.items()),
            {name.title(): [value] for name, value in plain.items()},
            [(name.encode(), value.encode()) for name, value in plain.items()],
            {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in plain.items()},
        ]
        for headers in forms:
            notification = client.webhooks.construct(path=PATH, headers=headers, body=body)
            self.assertEqual(notification.subject, "notifyPayment p-1")

    def test_a_parsed_body_is_rejected_with_a_hint(self) -> None:
        with self.assertRaisesRegex(
            tollgate_client.SignatureVerificationError, "raw bytes"
        ) as caught:
            told(PAID, body=PAID)
        self.assertEqual(caught.exception.reason, "BODY_ALREADY_PARSED")

    def test_a_changed_body_or_another_path_is_rejected(self) -> None:
        for change in ({"body": json.dumps(PAID) + " "}, {"path": "/notify"}, {"method": "PUT"}):
            with self.assertRaises(tollgate_client.SignatureVerificationError) as caught:
                told(PAID, **change)
            self.assertEqual(caught.exception.reason, "MISMATCH")

    def test_an_old_webhook_is_rejected(self) -> None:
        client, _, clock = shop()
        headers = client.webhooks.sign(path=PATH, body="{}", private_key=GATEWAY.private_key)
        clock.advance(301)
        with self.assertRaises(tollgate_client.SignatureVerificationError) as caught:
            client.webhooks.construct(path=PATH, headers=headers, body="{}")
        self.assertEqual(caught.exception.reason, "STALE")

    def test_a_signature_with_another_key_is_rejected(self) -> None:
        client, _, _ = shop()
        headers = client.webhooks.sign(path=PATH, body="{}", private_key=MERCHANT.private_key)
        with self.assertRaises(tollgate_client.SignatureVerificationError):
            client.webhooks.construct(path=PATH, headers=headers, body="{}")

    def test_an_incomplete_signature_header_is_rejected(self) -> None:
        client, _, _ = shop()
        headers = client.webhooks.sign(path=PATH, body="{}", private_key=GATEWAY.private_key)
        headers["signature"] = "algorithm=RSA256,keyVersion=1,signature=abcd"
        with self.assertRaises(tollgate_client.SignatureVerificationError) as caught:
            client.webhooks.construct(path=PATH, headers=headers, body="{}")
        self.assertEqual(caught.exception.reason, "MALFORMED_SIGNATURE")

    def test_an_unknown_kind_is_kept_completely(self) -> None:
        notification = told({"notifyType": "BRAND_NEW", "vaultId": "v-1"})
        self.assertEqual(notification.kind, "unknown")
        self.assertEqual(notification.body.to_dict(), {"notifyType": "BRAND_NEW", "vaultId": "v-1"})
        self.assertRegex(notification.subject, "^unknown [0-9a-f]{64}$")
        self.assertEqual(notification.sequence, 0)

    def test_a_signed_invalid_body_is_malformed(self) -> None:
        with self.assertRaises(tollgate_client.MalformedResponseError):
            told([1, 2])

    def test_the_acknowledgement_is_exact(self) -> None:
        expected = (
            '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}'
        )
        self.assertEqual(shop()[0].webhooks.ack(), expected)


if __name__ == "__main__":
    unittest.main()
