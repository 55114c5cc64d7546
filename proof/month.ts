import { createHash } from "node:crypto";
import { readAdversities } from "./month/adversity.ts";
import { liveMonth } from "./month/life.ts";
import { planMonth } from "./month/plan.ts";
import { addDays } from "./month/settle.ts";
import { openMonth } from "./month/world.ts";
import { newRandom } from "../server/test/bank/seeded-random.ts";
import { runProof } from "./run-proof.ts";

/** A Saturday: a small run has a weekend, weekly batches, the end of a calendar month, and a day with payouts for each operator adversity. */
const beginsOn = "2026-09-26";
const small = { payments: 300, merchants: 4, days: 7 };

await runProof({
  name: "month",
  claim:
    "The money arrives, with a bank as adverse as banks are. A month of payments with three wallets, four currencies, refunds, cancels, disputes, late successes, fees that change at a midnight of UTC+8, merchants that are paid in another currency, FX deals, reserves and payouts. " +
    "The simulated bank refuses duplicates (DU01, AM05), rejects single payouts, returns payouts in full, in part, with and without a code, books charges and gives them back, reverses entries and books them again, books batches; its status reports and statements come late, twice, in parts, corrected and in any order. " +
    "Payout runs are killed and run again, two run at once while the bank's program collects files, the database is restored to before a payout run, a bank account is ended and a merchant is suspended in between. Records are inserted by the gateway's own code (records, ledger, fees) with its privileges; everything else is done by an operator's commands. " +
    "Every evening each account of the ledger is compared, to the smallest unit, with books that are kept by the contracts alone, and the payouts in the bank's files with those that were due. At the end the bank's own books say: each merchant got what was owed and due, once; clearing is the sum of unpaired entries; " +
    "each discrepancy that the bank caused is one break, and there is no other; the ledger has the bank's balance of every day. `trial-balance` is zero on every day, and `settlement check` finds no movement without a batch. " +
    "`--tries` is payments. Words name the adversities that are switched on (`none`, `all`; default all). The digest is of all balances: the same seed has the same.",
  triesDefault: 200_000,
  numbers: { seed: 1, days: 30, merchants: 60 },
  async run({ tries, isSmoke, words, number, say }) {
    const size = isSmoke ? small : { payments: tries, merchants: number("merchants"), days: number("days") };
    const adversities = readAdversities(words);
    const random = newRandom(number("seed"));
    const plan = planMonth(random.fork("plan"), { beginsOn, ...size });
    const changesOn = addDays(beginsOn, Math.ceil(size.days / 2));
    const world = await openMonth(plan, changesOn, beginsOn);
    try {
      const { misses, balances, counts, discrepancies } = await liveMonth(world, plan, {
        random,
        beginsOn,
        changesOn,
        days: size.days,
        adversities,
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
          rejected: counts.rejected,
          returned: counts.returned,
          duplicate_files: counts.duplicateFiles,
          discrepancies,
          adversities: adversities.size,
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
