import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Counts } from "./counts.ts";
import { startMeasuredGateway } from "./measured-gateway.ts";

/**
 * Upper bounds for each whole payment, with 32 in flight: `pay`, the order at the provider, its callback, the ledger,
 * the webhook until it is acknowledged, and search. One statement, transaction or row more per payment exceeds its
 * bound. The margin is for the varying number of payments that share a statement. Before settled payments were batched
 * there were 1.7 to 2.0 transactions, 9.5 to 10.2 statements and 8 unshared statements.
 */
const bounds: Counts = {
  transactions: 1.4,
  statements: 2.7,
  unshared: 0,
  rows: 22.5,
  walBytes: 12_000,
  buffers: 450,
};
const payments = 300;

const gateway = await startMeasuredGateway({
  paymentsEach: 0,
  // The gateway writes sums for each merchant a few times a second. With fewer merchants, the counts depend less on the
  // duration of the test.
  merchants: 10,
  // Full-page writes after a checkpoint, and autovacuum, depend on the duration of the test and not on payments, so
  // both are off.
  settings: { full_page_writes: "off", autovacuum: "off" },
});
after(() => gateway.stop());

test("a whole payment stays within the bounds of PostgreSQL statements and rows", async (context) => {
  // Warm-up: opens connections, and each one prepares its statements.
  await gateway.pay(100);
  const { counts, statements } = await gateway.count(payments);
  const names = Object.keys(bounds) as (keyof Counts)[];
  for (const name of names)
    context.diagnostic(`${name}: ${counts[name].toFixed(2)} for each payment, at most ${bounds[name]}`);
  const most = statements.toSorted((one, other) => other.calls - one.calls).slice(0, 25);
  const listed = most.map(({ calls, statement }) => `${calls.toFixed(2)}  ${statement.trim().slice(0, 120)}`);
  for (const name of names)
    assert.ok(
      counts[name] <= bounds[name],
      `${counts[name].toFixed(2)} ${name} for each payment, and at most ${bounds[name]} are needed. Its statements:\n${listed.join("\n")}`,
    );
  // Lower bounds detect a broken counter, which counts nothing and would never exceed an upper bound.
  assert.ok(counts.statements > 0.5 && counts.rows > 5 && counts.walBytes > 1_000 && counts.buffers > 10);
});
