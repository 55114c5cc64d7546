import { test } from "node:test";
import { addDays } from "../../src/settlement/batch.ts";
import { payoutCrashPoints } from "../../src/core/crash-point.ts";
import { assertEachBatchPaidOnce, openPayoutWorld, stepOf } from "./payout-world.ts";

/** The whole matrix: each crash point, at its first and second pass, each with separate money. */
const world = await openPayoutWorld({ adversities: ["rejected"] });
const clientIds = [await world.openMerchant(), await world.openMerchant(), await world.openMerchant()];
let [owed, day] = [0n, "2026-01-01"];

/** A command passes these crash points once for each batch or payout, and the others once. */
const oftenReached: readonly string[] = [
  "before-close-commit",
  "after-close-commit",
  "before-payout-commit",
  "after-payout-commit",
];

for (const point of payoutCrashPoints) {
  for (const nth of oftenReached.includes(point) ? [1, 2, 3] : [1]) {
    test(`killed at ${point}, time ${nth}`, async () => {
      day = addDays(day, 1);
      for (const [index, clientId] of clientIds.entries()) {
        const minor = BigInt(100 + index * 7 + nth);
        await world.paid(clientId, minor, `${day}T01:00:00Z`);
        owed += minor;
      }
      const given = { close: day, run: "", import: "" };
      for (const step of ["close", "run"] as const) {
        if (stepOf(point) === step) await world.crash(point, given[step], nth);
        await world.finish(step, given[step]);
      }
      for (const answer of world.answers()) {
        if (stepOf(point) === "import") await world.crash(point, answer, nth);
        await world.finish("import", answer);
      }
      await world.finish("run", "");
      await world.settle();
      await assertEachBatchPaidOnce(world, clientIds, owed);
    });
  }
}
