import assert from "node:assert/strict";
import { test } from "node:test";
import { setQuote } from "../../src/operators/ledger/exchange.ts";
import { assertEachBatchPaidOnce, openPayoutWorld, pointsOf } from "./payout-world.ts";

/**
 * This test kills the payout commands with SIGKILL at every crash point in turn, on the same money.
 * payout-crash.load.ts tests each crash point separately.
 */
test("killed at every crash point of close, run and import: the bank pays each batch once, and rejects the second copy of a file", async () => {
  const world = await openPayoutWorld({ adversities: ["rejected"] });
  const clientIds = [await world.openMerchant(), await world.openMerchant(), await world.openMerchant()];
  const amounts = [1000n, 250n, 77n];
  const day = "2026-11-10";
  for (const [index, clientId] of clientIds.entries())
    await world.paid(clientId, amounts[index] ?? 0n, `${day}T10:00:00Z`);
  const owed = amounts.reduce((sum, minor) => sum + minor, 0n);

  for (const point of pointsOf("close")) await world.crash(point, day);
  await world.finish("close", day);
  for (const point of pointsOf("run")) await world.crash(point, "");
  await world.finish("run", "");
  const { books } = world.bank;
  assert.ok(books.duplicateMessages >= 2, "the bank has received a message again, with the same bytes");

  const answers = world.answers();
  const paid = books.paidOut(() => true);
  assert.ok(paid < owed, "the bank has rejected a payout, which is due again");
  for (const answer of answers) {
    for (const point of pointsOf("import")) await world.crash(point, answer);
    await world.finish("import", answer);
  }
  await world.finish("run", "");
  await world.settle();
  await assertEachBatchPaidOnce(world, clientIds, owed);
});

test("killed at every crash point of close and run, a batch is converted to another currency once, and paid in it once", async () => {
  const world = await openPayoutWorld();
  await world.openBank("USD");
  const clientId = await world.openMerchant({ terms: { settleIn: "USD" } });
  const day = "2026-11-10";
  await world.paid(clientId, 1000n, `${day}T10:00:00Z`);
  const quote = { pair: "EUR/USD", marginMillionths: 0n, from: undefined, until: "2099-12-31" };
  await setQuote(world.operator, { ...quote, price: "1.0832" });
  const changed = async (): Promise<readonly bigint[]> => [
    await world.balance("exchange EUR/USD"),
    await world.balance("exchange EUR/USD", "USD"),
    await world.owed(clientId),
  ];

  await world.crash("before-close-commit", day);
  assert.deepEqual(await changed(), [0n, 0n, 1000n], "converted not at all, or in full");
  await world.crash("after-close-commit", day);
  // The test sets a new FX rate, with which a second conversion of the batch would give another sum.
  await setQuote(world.operator, { ...quote, price: "2" });
  await world.finish("close", day);
  assert.deepEqual(await changed(), [-1000n, 1083n, 0n]);

  for (const point of pointsOf("run")) await world.crash(point, "");
  await world.finish("run", "");
  await world.settle();
  assert.equal(
    world.bank.books.paidOut(({ currency }) => currency === "USD"),
    1083n,
  );
  assert.deepEqual(await changed(), [-1000n, 1083n, 0n]);
  assert.deepEqual([await world.owed(clientId, "USD"), await world.balance("clearing", "USD")], [0n, -1083n]);
});
