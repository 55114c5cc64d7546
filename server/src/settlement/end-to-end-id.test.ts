import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { bucketCount, bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import { bucketOfEndToEndId, endToEndIdOf, mayNameClient } from "./end-to-end-id.ts";

const attempts = fc.record({
  bucket: fc.integer({ min: 0, max: bucketCount - 1 }),
  clientId: fc.string(),
  batchId: fc.string(),
  attempt: fc.integer({ min: 1, max: 99 }),
});

test("an end-to-end id fits every bank's rules and carries its bucket", () => {
  fc.assert(
    fc.property(attempts, (attempt) => {
      const reference = endToEndIdOf(attempt);
      assert.match(reference, /^[A-Z0-9]{1,35}$/);
      assert.equal(bucketOfEndToEndId(reference), attempt.bucket);
      assert.equal(endToEndIdOf({ ...attempt }), reference);
    }),
  );
});

test("another client, batch or attempt has another end-to-end id", () => {
  const first = { bucket: 7, clientId: "SHOP", batchId: "1", attempt: 1 };
  const ids = [
    first,
    { ...first, attempt: 2 },
    { ...first, batchId: "2" },
    { ...first, clientId: "SHOP2" },
    // The parts are delimited: these two differ only in where one part ends.
    { ...first, clientId: "SHOP1", batchId: "11" },
    { ...first, clientId: "SHOP11", batchId: "1" },
  ].map(endToEndIdOf);
  assert.equal(new Set(ids).size, ids.length);
});

test("an end-to-end id names its merchant, and no other of the same bucket", () => {
  const clientId = "SHOP";
  const neighbour = Array.from({ length: 20_000 }, (_, nth) => `SHOP${nth}`).find(
    (other) => bucketOf(other) === bucketOf(clientId),
  );
  assert.ok(neighbour);
  const reference = endToEndIdOf({ bucket: bucketOf(clientId), clientId, batchId: "1", attempt: 1 });
  assert.equal(mayNameClient(reference, clientId), true);
  assert.equal(mayNameClient(reference, neighbour), false);
});

test("a payout id of an earlier release still leads to its bucket", () => {
  const bucket = bucketOf("SHOP");
  const now = new Date("2026-10-05T10:00:00Z");
  assert.equal(bucketOfEndToEndId(newId("payout", bucket, now, () => 1)), bucket);
  assert.equal(
    mayNameClient(
      newId("payout", bucket, now, () => 1),
      "SHOP",
    ),
    true,
  );
  assert.equal(bucketOfEndToEndId(newId("refund", bucket, now, () => 1)), undefined);
});

test("a reference that is none of ours has no bucket", () => {
  const ours = endToEndIdOf({ bucket: 1023, clientId: "SHOP", batchId: "1", attempt: 1 });
  const references = [
    "",
    "NOTPROVIDED",
    ours.slice(0, -1),
    `${ours}0`,
    ours.toLowerCase(),
    ours.replace("1023", "1024"),
  ];
  for (const reference of references) assert.equal(bucketOfEndToEndId(reference), undefined, reference);
});
