import assert from "node:assert/strict";
import { test } from "node:test";
import { returnResultInfo } from "./payment-result-info.ts";

const resultInfo = (status: "SUCCESS" | "FAIL", details: object): object =>
  returnResultInfo({ status, providerDetails: JSON.stringify(details) });

test("a merchant sees the details under the names of its interface, without the provider's fee and value date", () => {
  const details = {
    cardBrand: "VISA",
    cardLastFour: "1111",
    issuerResultCode: "00",
    avsResult: "Y",
    cvcResult: "M",
    threeDSecure: { version: "2.2.0", outcome: "AUTHENTICATED", isLiabilityShifted: false },
    networkTransactionId: "MCC4F1C0A1115",
    fee: { currency: "EUR", value: "25" },
    valueDate: "2026-11-17",
  };
  assert.deepEqual(resultInfo("SUCCESS", details), {
    paymentResultInfo: {
      cardBrand: "VISA",
      lastFour: "1111",
      avsResultRaw: "Y",
      cvvResultRaw: "M",
      networkTransactionId: "MCC4F1C0A1115",
      threeDSResult: { threeDSVersion: "2.2.0", threeDSOutcome: "AUTHENTICATED", isLiabilityShifted: false },
    },
  });
});

test("a merchant sees the issuer's code of a failed payment", () => {
  assert.deepEqual(resultInfo("FAIL", { issuerResultCode: "51" }), {
    paymentResultInfo: { refusalCodeRaw: "51" },
  });
});

test("a payment without details for the merchant has no paymentResultInfo", () => {
  assert.deepEqual(returnResultInfo({ status: "SUCCESS", providerDetails: undefined }), {});
  assert.deepEqual(resultInfo("SUCCESS", { issuerResultCode: "00", valueDate: "2026-11-17" }), {});
});
