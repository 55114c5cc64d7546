import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerIsSigned,
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  startTestGateway,
} from "../../test/start/test-gateway.ts";
import { givenPayment } from "../../test/shop/test-payment.ts";

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database);
const path = pathOf("sandbox", inquiryPath);

test("a payment is found by its id, with every field of its record", async () => {
  const { paymentId, paymentRequestId } = await givenPayment(gateway.database, merchant.clientId, {
    paidMinor: 9500n,
  });

  const answer = await call(gateway.url, merchant, { path, body: JSON.stringify({ paymentId }) });

  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, {
    result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
    paymentId,
    paymentRequestId,
    paymentStatus: "SUCCESS",
    paymentResultCode: "SUCCESS",
    paymentResultMessage: "success.",
    paymentAmount: { currency: "USD", value: "10000" },
    actualPaymentAmount: { currency: "USD", value: "9500" },
    paymentCreateTime: "2026-03-01T12:34:50+00:00",
    paymentTime: "2026-03-01T12:34:56+00:00",
    sequence: 1,
  });
  assert.ok(answerIsSigned(answer, path, merchant.gatewayPublicKey));
});
