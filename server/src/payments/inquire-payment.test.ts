import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isResponseSigned,
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  startTestGateway,
} from "../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../test/shop/test-payment.ts";
import { bucketOf } from "../core/bucket.ts";
import { openDatabase } from "../postgres/database.ts";
import { findPaymentsBatch } from "./payment.sql.ts";

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database);
const path = pathOf("sandbox", inquiryPath);

test("a payment is found by its id, with every field of its record", async () => {
  const { paymentId, paymentRequestId } = await insertTestPayment(gateway.database, merchant.clientId, {
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
  assert.ok(isResponseSigned(answer, path, merchant.gatewayPublicKey));
});

test("concurrent batched inquiries each find only the caller's own payments, by either id", async () => {
  const merchants = await Promise.all(Array.from({ length: 6 }, () => newMerchant(gateway.database)));
  const shops = await Promise.all(
    merchants.map(async (each) => ({
      each,
      payment: await insertTestPayment(gateway.database, each.clientId, { paidMinor: 9500n }),
    })),
  );
  const asked = shops.flatMap(({ each, payment: { paymentId, paymentRequestId } }, index) => {
    const other = shops[(index + 1) % shops.length]?.payment;
    assert.ok(other);
    return [
      { each, body: { paymentId }, finds: paymentId },
      { each, body: { paymentRequestId }, finds: paymentId },
      // If a request has both ids, `paymentId` decides.
      { each, body: { paymentId, paymentRequestId: "another" }, finds: paymentId },
      { each, body: { paymentId: other.paymentId }, finds: undefined },
      { each, body: { paymentRequestId: other.paymentRequestId }, finds: undefined },
      { each, body: { paymentId: other.paymentId, paymentRequestId }, finds: undefined },
    ];
  });
  await Promise.all(
    asked.map(async ({ each, body, finds }) => {
      const { json } = await call(gateway.url, each, { path, body: JSON.stringify(body) });
      const code = finds ? "SUCCESS" : "ORDER_NOT_EXIST";
      assert.equal(json.result?.resultCode, code, JSON.stringify(body));
      assert.equal(json["paymentId"], finds);
    }),
  );
});

test("a batch with merchants of one bucket returns each merchant's own payments in the order of the requests", async () => {
  const { appUrl: url } = gateway.database;
  const database = openDatabase({
    url,
    applicationName: "inquiry",
    connectionsMax: 1,
    onFault: assert.ifError,
  });
  const [one, other] = neighbours();
  const firstPayment = await insertTestPayment(gateway.database, one);
  const secondPayment = await insertTestPayment(gateway.database, other);
  const [firstKey, secondKey] = [one, other].map((clientId) => ({ bucket: bucketOf(clientId), clientId }));
  assert.ok(firstKey && secondKey && firstKey.bucket === secondKey.bucket);
  const found = await findPaymentsBatch(database.reader([one, other]), [
    { ...secondKey, paymentId: firstPayment.paymentId },
    { ...secondKey, paymentRequestId: firstPayment.paymentRequestId },
    { ...firstKey, paymentRequestId: firstPayment.paymentRequestId },
    { ...secondKey, paymentId: secondPayment.paymentId, paymentRequestId: firstPayment.paymentRequestId },
    { ...firstKey, paymentId: firstPayment.paymentId },
  ]);
  await database.close();
  const expected = [undefined, undefined, firstPayment, secondPayment, firstPayment].map(
    (payment) => payment?.paymentId,
  );
  assert.deepEqual(
    found.map((payment) => payment?.paymentId),
    expected,
  );
});

/** Returns two client ids that are in the same bucket. */
function neighbours(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let number = 1; ; number += 1) {
    const clientId = `SANDBOX_NEIGHBOUR${number}`;
    const before = seen.get(bucketOf(clientId));
    if (before) return [before, clientId];
    seen.set(bucketOf(clientId), clientId);
  }
}
