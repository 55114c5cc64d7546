import { createHash } from "node:crypto";
import { readAdversities } from "./month/adversity.ts";
import { simulateMonth } from "./month/simulate-month.ts";
import { planMonth } from "./month/month-plan.ts";
import { addDays } from "./month/reference-settlement.ts";
import { openMonthInstallation } from "./month/month-installation.ts";
import { newRandom } from "../server/test/bank/seeded-random.ts";
import { runProof } from "./reports/run-proof.ts";

/**
 * The first day is a Saturday, so that a small run has a weekend, weekly batches, the end of a calendar month, and a
 * payout day for each operator adversity.
 */
const firstDay = "2026-09-26";
const smokeSize = { payments: 300, merchants: 4, days: 7 };

await runProof({
  name: "month",
  claim:
    "Money movements with an adverse bank. A month of payments with three payment providers, four currencies, captures in parts of which some fail after days, refunds, refunds and other returns that fail after they succeeded, cancels, disputes, direct debits that are returned after the payout, late successes, fees that change at a midnight of UTC+8, payouts in another currency, FX deals, reserves and payouts. " +
    "The simulated bank refuses duplicates (DU01, AM05), rejects single payouts, returns payouts in full, in part, with and without a code, books and returns charges, reverses and rebooks entries, books batches; its status reports and statements come late, twice, in parts, corrected and in any order. " +
    "Payout runs are killed and run again, two run at once while the bank's program collects files, the database is restored to a time before a payout run, a bank account is closed and a merchant is suspended in between. Records are inserted by the gateway's own code (records, ledger, fees) with its privileges; all other steps are commands of an operator. " +
    "Every evening each account of the ledger is compared, to the smallest unit, with an independent model that only uses the contracts, and the payouts in the bank's files with the due ones. At the end the bank's own records confirm that each merchant got the owed and due amount once, and that clearing is the sum of unpaired entries; " +
    "each discrepancy of the bank is one break, and there is no other; the ledger has the bank's balance of every day. `trial-balance` is zero on every day, and `settlement check` finds no movement without a batch. " +
    "`--tries` is the number of payments. Arguments select the adversities (`none`, `all`; default all). The digest covers all balances and is equal for equal seeds.",
  triesDefault: 200_000,
  numbers: { seed: 1, days: 30, merchants: 60 },
  async run({ tries, isSmoke, args, number, logProgress }) {
    const runSize = isSmoke
      ? smokeSize
      : { payments: tries, merchants: number("merchants"), days: number("days") };
    const adversities = readAdversities(args);
    const random = newRandom(number("seed"));
    const feeChangeDay = addDays(firstDay, Math.ceil(runSize.days / 2));
    const plan = planMonth(random.fork("plan"), { firstDay, feeChangeDay, ...runSize });
    const installation = await openMonthInstallation(plan, feeChangeDay, firstDay);
    try {
      const { misses, balances, counts, discrepancies } = await simulateMonth(installation, plan, {
        random,
        firstDay,
        feeChangeDay,
        days: runSize.days,
        adversities,
        logProgress,
      });
      const unsettled = await installation.operate<readonly unknown[]>("settlement", "check");
      const unbalancedDays: string[] = [];
      for (let nth = 0; nth < runSize.days; nth += isSmoke ? 4 : 1) {
        const day = addDays(firstDay, nth);
        const { isZero } = await installation.operate<{ readonly isZero: boolean }>(
          "trial-balance",
          "--at",
          day,
        );
        if (!isZero) unbalancedDays.push(`${day}: the trial balance is not zero`);
      }
      return {
        figures: {
          seed: number("seed"),
          payments: runSize.payments,
          movements: plan.events.length,
          merchants: runSize.merchants,
          days: runSize.days,
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
          wrong: misses.length + unbalancedDays.length + unsettled.length,
        },
        misses: [
          ...misses,
          ...unbalancedDays,
          ...(unsettled.length > 0 ? [`${unsettled.length} movements are in no batch`] : []),
        ],
      };
    } finally {
      await installation.stop();
    }
  },
});
