import assert from "node:assert/strict";
import { test } from "node:test";
import { setQuote } from "../../src/operators/ledger/fx.ts";
import { assertEachBatchPaidOnce, openPayoutCrashEnvironment, pointsOf } from "./payout-crash-environment.ts";

/**
 * This test kills the payout commands with SIGKILL at every crash point in turn, on the same money.
 * payout-crash.load.ts tests each crash point separately.
 */
test("killed at every crash point of close, run and import: the bank pays each batch once, and rejects the second copy of a file", async () => {
  const environment = await openPayoutCrashEnvironment({ adversities: ["rejected"] });
  const clientIds = [
    await environment.openMerchant(),
    await environment.openMerchant(),
    await environment.openMerchant(),
  ];
  const amounts = [1000n, 250n, 77n];
  const day = "2026-11-10";
  for (const [index, clientId] of clientIds.entries())
    await environment.postPayment(clientId, amounts[index] ?? 0n, `${day}T10:00:00Z`);
  const owed = amounts.reduce((sum, minor) => sum + minor, 0n);

  for (const point of pointsOf("close")) await environment.crash(point, day);
  await environment.finish("close", day);
  for (const point of pointsOf("run")) await environment.crash(point, "");
  await environment.finish("run", "");
  const { ledger } = environment.bank;
  assert.ok(ledger.duplicateMessages >= 2, "the bank has received a message again, with the same bytes");

  const reportFiles = environment.endBankDay();
  const paid = ledger.paidOut(() => true);
  assert.ok(paid < owed, "the bank has rejected a payout, which is due again");
  for (const reportFile of reportFiles) {
    for (const point of pointsOf("import")) await environment.crash(point, reportFile);
    await environment.finish("import", reportFile);
  }
  await environment.finish("run", "");
  await environment.settle();
  await assertEachBatchPaidOnce(environment, clientIds, owed);
});

test("killed at every crash point of close and run, a batch is converted to another currency once, and paid in it once", async () => {
  const environment = await openPayoutCrashEnvironment();
  await environment.openBank("USD");
  const clientId = await environment.openMerchant({ terms: { settleIn: "USD" } });
  const day = "2026-11-10";
  await environment.postPayment(clientId, 1000n, `${day}T10:00:00Z`);
  const quote = { pair: "EUR/USD", marginMillionths: 0n, from: undefined, until: "2099-12-31" };
  await setQuote(environment.operator, { ...quote, price: "1.0832" });
  const exchangeBalances = async (): Promise<readonly bigint[]> => [
    await environment.balance("exchange EUR/USD"),
    await environment.balance("exchange EUR/USD", "USD"),
    await environment.owedMinor(clientId),
  ];

  await environment.crash("before-close-commit", day);
  assert.deepEqual(await exchangeBalances(), [0n, 0n, 1000n], "converted not at all, or in full");
  await environment.crash("after-close-commit", day);
  // The test sets a new FX rate, with which a second conversion of the batch would give another sum.
  await setQuote(environment.operator, { ...quote, price: "2" });
  await environment.finish("close", day);
  assert.deepEqual(await exchangeBalances(), [-1000n, 1083n, 0n]);

  for (const point of pointsOf("run")) await environment.crash(point, "");
  await environment.finish("run", "");
  await environment.settle();
  assert.equal(
    environment.bank.ledger.paidOut(({ currency }) => currency === "USD"),
    1083n,
  );
  assert.deepEqual(await exchangeBalances(), [-1000n, 1083n, 0n]);
  assert.deepEqual(
    [await environment.owedMinor(clientId, "USD"), await environment.balance("clearing", "USD")],
    [0n, -1083n],
  );
});
