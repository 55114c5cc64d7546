import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutSecrets, type Delivery } from "./delivery.ts";

const delivery: Delivery = {
  notificationId: "20261115093104377047608530017744120",
  kind: "notifyAuthorization",
  subjectId: "20261115093000123047604530017744120",
  sequence: 2,
  url: "https://shop.example/notify?key=canary",
  status: "EXHAUSTED",
  createdAt: new Date("2026-11-15T09:31:04Z"),
  deliveredAt: undefined,
  nextAttemptAt: undefined,
  attempts: [
    {
      at: new Date("2026-11-15T09:31:04Z"),
      keyVersion: 1,
      httpStatus: 500,
      failure: undefined,
      answer: '{"accessToken":"canary"}',
      timings: { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 96, totalMs: 97 },
    },
  ],
};

test("people see neither the query of a URL nor a token that the merchant's response repeats", () => {
  const cleaned = withoutSecrets(delivery);
  assert.ok(!JSON.stringify(cleaned).includes("canary"));
  assert.equal(cleaned.url, "https://shop.example/notify");
  assert.equal(cleaned.attempts[0]?.httpStatus, 500);
});

test("people see the merchant's response to a webhook without a token", () => {
  const shown = withoutSecrets({ ...delivery, kind: "notifyPayment", url: undefined });
  assert.equal(shown.attempts[0]?.answer, '{"accessToken":"canary"}');
  assert.equal(shown.url, undefined);
});
