from __future__ import annotations

import copy
import json
import pickle
import unittest

from tollgate_client import models
from tollgate_client.models import PaymentStatus, PayResponse

from .shop import coffee

ANSWER = {
    "result": {"resultCode": "SUCCESS", "resultStatus": "S", "resultMessage": "success", "new": 1},
    "paymentId": "p-1",
    "paymentAmount": {"currency": "EUR", "value": "1250"},
    "newField": {"deep": [1, {"two": None}]},
}


class Models(unittest.TestCase):
    def test_unknown_fields_are_kept_and_written_again(self) -> None:
        answer = PayResponse.from_dict(ANSWER)
        self.assertEqual(answer.extra, {"newField": {"deep": [1, {"two": None}]}})
        self.assertEqual(answer.result.extra, {"new": 1})
        self.assertEqual(answer.to_dict()["newField"], {"deep": [1, {}]})

    def test_null_is_the_same_as_absent(self) -> None:
        answer = PayResponse.from_dict({**ANSWER, "normalUrl": None, "somethingNew": None})
        self.assertIsNone(answer.normal_url)
        self.assertEqual(list(answer.extra), ["newField"])
        self.assertEqual(answer.to_dict().keys(), ANSWER.keys())

    def test_a_value_of_an_unexpected_type_is_kept(self) -> None:
        answer = PayResponse.from_dict({**ANSWER, "paymentAmount": "12.50 EUR"})
        self.assertEqual(answer.to_dict()["paymentAmount"], "12.50 EUR")

    def test_secrets_are_masked(self) -> None:
        method = models.PaymentMethod(
            payment_method_type="CONNECT_WALLET", payment_method_id="2810"
        )
        self.assertNotIn("2810", repr(coffee(payment_method=method)))
        self.assertIn("2810", json.dumps(coffee(payment_method=method).to_dict()))

    def test_a_misspelt_field_is_an_error_at_once(self) -> None:
        with self.assertRaises(TypeError):
            models.Amount(currency="EUR", valeu="1")  # type: ignore[call-arg]
        # The exception depends on the version of Python.
        with self.assertRaises((AttributeError, TypeError)):
            coffee().paymentAmount = None  # type: ignore[attr-defined]

    def test_every_name_can_be_loaded(self) -> None:
        for name in models.__all__:
            self.assertTrue(hasattr(models, name), name)
        self.assertLessEqual(set(models.__all__), set(dir(models)))
        with self.assertRaises(AttributeError):
            models.Nothing  # noqa: B018


class OpenEnums(unittest.TestCase):
    def test_a_known_value_equals_its_member_and_its_text(self) -> None:
        self.assertIs(PaymentStatus("SUCCESS"), PaymentStatus.SUCCESS)
        self.assertEqual(PaymentStatus.SUCCESS, "SUCCESS")
        self.assertEqual(f"{PaymentStatus.SUCCESS}", "SUCCESS")
        self.assertEqual(str(PaymentStatus.SUCCESS), "SUCCESS")
        self.assertEqual({"SUCCESS": 1}[PaymentStatus.SUCCESS], 1)

    def test_an_unknown_value_is_kept(self) -> None:
        new = PaymentStatus("HALF_PAID")
        self.assertIsInstance(new, PaymentStatus)
        self.assertEqual(new, "HALF_PAID")
        self.assertEqual(json.dumps([new]), '["HALF_PAID"]')
        self.assertFalse(new.is_known)
        self.assertTrue(PaymentStatus.SUCCESS.is_known)
        self.assertNotIn("HALF_PAID", list(PaymentStatus))
        self.assertEqual(pickle.loads(pickle.dumps(new)), new)
        self.assertEqual(copy.deepcopy(new), new)

    def test_it_works_in_a_match_statement(self) -> None:
        match PaymentStatus("HALF_PAID"):
            case PaymentStatus.SUCCESS:
                found = "paid"
            case "HALF_PAID":
                found = "half"
            case _:
                found = "other"
        self.assertEqual(found, "half")


if __name__ == "__main__":
    unittest.main()
