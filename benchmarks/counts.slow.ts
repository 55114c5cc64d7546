import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Counts } from "./counts.ts";
import { startMeasured } from "./measured-gateway.ts";

/**
 * At most so much for each whole payment, 32 at once: `pay`, the order at the wallet, its callback, the ledger, the
 * notification until it is acknowledged, and the search. One statement, one transaction or one row more for each
 * payment is above its bound. The room in them is for how many payments happen to share a statement. Before callbacks were
 * settled together there were 1.7 to 2.0 transactions, 9.5 to 10.2 statements and 8 that no payments shared.
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

const gateway = await startMeasured({
  paymentsEach: 0,
  // Sums are written for each merchant a few times a second; the fewer there are, the less the counts go by the clock.
  merchants: 10,
  // So do these: whole pages in the WAL after a checkpoint, and autovacuum.
  settings: { full_page_writes: "off", autovacuum: "off" },
});
after(() => gateway.stop());

test("a whole payment asks no more of PostgreSQL than it needs", async (context) => {
  // Connections are opened, and each prepares its statements.
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
  // What counts nothing could not fail.
  assert.ok(counts.statements > 0.5 && counts.rows > 5 && counts.walBytes > 1_000 && counts.buffers > 10);
});
