import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketOf } from "../../core/bucket.ts";
import { newId } from "../../core/id.ts";
import { bucketOfPayout, mayBePayoutOf, payoutIdOf } from "./payout-id.ts";

const batch = { clientId: "5J5Y8Z4G3E2B1A0C", currency: "EUR", toDay: "2026-10-05", attempt: 1 };

test("a payout id depends only on merchant, currency, day and attempt, and later attempts sort after earlier ones", () => {
  const first = payoutIdOf(batch);
  assert.match(first, /^20261005\d{27}$/);
  assert.equal(payoutIdOf({ ...batch }), first);
  assert.ok(payoutIdOf({ ...batch, attempt: 2 }) > first);
  assert.ok(payoutIdOf({ ...batch, attempt: 10 }) > payoutIdOf({ ...batch, attempt: 9 }));
  const others = [{ toDay: "2026-10-06" }, { currency: "USD" }, { clientId: "5J5Y8Z4G3E2B1A0D" }];
  assert.equal(new Set([first, ...others.map((change) => payoutIdOf({ ...batch, ...change }))]).size, 4);
});

test("a payout id names its bucket and merchant, and no other merchant of the bucket", () => {
  const { clientId } = batch;
  const neighbour = Array.from({ length: 20_000 }, (_, nth) => `SHOP${nth}`).find(
    (other) => bucketOf(other) === bucketOf(clientId),
  );
  assert.ok(neighbour);
  const payoutId = payoutIdOf(batch);
  assert.equal(bucketOfPayout(payoutId), bucketOf(clientId));
  assert.equal(mayBePayoutOf(payoutId, clientId), true);
  assert.equal(mayBePayoutOf(payoutId, neighbour), false);
});

test("a reference in another format has no bucket", () => {
  const refund = newId("refund", 7, new Date("2026-10-05T10:00:00Z"), () => 1);
  for (const reference of ["", "NOTPROVIDED", refund, `${payoutIdOf(batch)}0`])
    assert.equal(bucketOfPayout(reference), undefined, reference);
});
