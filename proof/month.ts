import { createHash } from "node:crypto";
import { liveMonth } from "./month/life.ts";
import { planMonth } from "./month/plan.ts";
import { addDays } from "./month/settle.ts";
import { openMonth } from "./month/world.ts";
import { newRandom } from "../server/test/bank/seeded-random.ts";
import { runProof } from "./run-proof.ts";

/** A Friday, so that a small run has a weekend, and weekly batches. */
const beginsOn = "2026-10-02";
const small = { payments: 900, merchants: 6, days: 9 };

await runProof({
  name: "month",
  claim:
    "The money arrives: a month of payments with three wallets, four currencies, refunds, cancels, disputes, late successes, fees that change at a midnight of UTC+8, merchants that are paid in another currency, deals with the bank, reserves, payouts that are refused and payouts that come back. " +
    "What happened is written down by the gateway's own code (records, ledger, fees) and rights; wallets' files, statements and answers of the bank are imported by commands, batches are closed and paid by commands, day by day. " +
    "Beside it somebody keeps the same books by the contracts alone, with none of the ledger's code. Every evening each account is equal to the smallest unit, the payouts in the bank's files are those that were due, and `match` finds nothing; in the end `trial-balance` is zero " +
    "in each currency at every day's end, and `settlement check` finds no movement without a batch. `--tries` is payments. The digest is of all balances: the same seed has the same.",
  triesDefault: 200_000,
  numbers: { seed: 1, days: 30, merchants: 60 },
  async run({ tries, isSmoke, number, say }) {
    const size = isSmoke ? small : { payments: tries, merchants: number("merchants"), days: number("days") };
    const random = newRandom(number("seed"));
    const plan = planMonth(random.fork("plan"), { beginsOn, ...size });
    const changesOn = addDays(beginsOn, Math.ceil(size.days / 2));
    const world = await openMonth(plan, changesOn, beginsOn);
    try {
      const { misses, balances, counts } = await liveMonth(world, plan, {
        random,
        beginsOn,
        changesOn,
        days: size.days,
        say,
      });
      const unsettled = await world.operate<readonly unknown[]>("settlement", "check");
      const uneven: string[] = [];
      for (let nth = 0; nth < size.days; nth += isSmoke ? 4 : 1) {
        const day = addDays(beginsOn, nth);
        const { isZero } = await world.operate<{ readonly isZero: boolean }>("trial-balance", "--at", day);
        if (!isZero) uneven.push(`${day}: the trial balance is not zero`);
      }
      return {
        figures: {
          seed: number("seed"),
          payments: size.payments,
          movements: plan.happenings.length,
          merchants: size.merchants,
          days: size.days,
          changed: counts.changed,
          payouts: counts.payouts,
          refused: counts.refused,
          came_back: counts.cameBack,
          compared: counts.compared,
          accounts: balances.length,
          digest: createHash("sha256").update(balances.join("\n")).digest("hex").slice(0, 12),
          wrong: misses.length + uneven.length + unsettled.length,
        },
        misses: [
          ...misses,
          ...uneven,
          ...(unsettled.length > 0 ? [`${unsettled.length} movements are in no batch`] : []),
        ],
      };
    } finally {
      await world.stop();
    }
  },
});
