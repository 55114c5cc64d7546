import { test } from "node:test";
import { addDays } from "../../src/settlement/batch.ts";
import { payoutCrashPoints } from "../../src/core/crash-point.ts";
import { assertEachBatchPaidOnce, openPayoutCrashEnvironment, stepOf } from "./payout-crash-environment.ts";

/** The whole matrix: each crash point, at its first and second pass, each with separate money. */
const environment = await openPayoutCrashEnvironment({ adversities: ["rejected"] });
const clientIds = [
  await environment.openMerchant(),
  await environment.openMerchant(),
  await environment.openMerchant(),
];
let [owed, day] = [0n, "2026-01-01"];

/** A command passes these crash points once for each batch or payout, and the others once. */
const repeatedPoints: readonly string[] = [
  "before-close-commit",
  "after-close-commit",
  "before-payout-commit",
  "after-payout-commit",
];

for (const point of payoutCrashPoints) {
  for (const nth of repeatedPoints.includes(point) ? [1, 2, 3] : [1]) {
    test(`killed at ${point}, time ${nth}`, async () => {
      day = addDays(day, 1);
      for (const [index, clientId] of clientIds.entries()) {
        const minor = BigInt(100 + index * 7 + nth);
        await environment.postPayment(clientId, minor, `${day}T01:00:00Z`);
        owed += minor;
      }
      const argumentOf = { close: day, run: "", import: "" };
      for (const step of ["close", "run"] as const) {
        if (stepOf(point) === step) await environment.crash(point, argumentOf[step], nth);
        await environment.finish(step, argumentOf[step]);
      }
      for (const reportFile of environment.endBankDay()) {
        if (stepOf(point) === "import") await environment.crash(point, reportFile, nth);
        await environment.finish("import", reportFile);
      }
      await environment.finish("run", "");
      await environment.settle();
      await assertEachBatchPaidOnce(environment, clientIds, owed);
    });
  }
}
