import { bucketOf } from "../../core/bucket.ts";
import { formatMoney, type Money } from "../../core/money.ts";
import { findBalance, findBalancePosition } from "../../ledger/balance.sql.ts";
import { listReserves } from "../../ledger/reserve.sql.ts";
import { payableAccount } from "../../ledger/transfer.ts";
import type { Tx } from "../../postgres/sql.ts";
import { findApprovedAccount } from "./bank-account.sql.ts";
import { listDueBatches, type PayableBatch } from "../batch.sql.ts";
import { findPayoutHold } from "./payout-hold.sql.ts";
import { waitReasonOf, waitReasons, type WaitReason } from "./payout.ts";
import { listDebtorAccounts, type DebtorAccount } from "./debtor-account.sql.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { formatTextTable } from "../../formats/text-table.ts";

export interface PlannedPayout {
  readonly clientId: string;
  readonly batchId: string;
  readonly payoutId: string;
  readonly attempt: number;
  readonly amount: Money;
  readonly dueDay: string;
  /** The creditor account; absent when the merchant has no approved account. */
  readonly account:
    | { readonly accountId: string; readonly holder: string; readonly iban: string }
    | undefined;
  /** The reason why the payout is not paid now; absent if it is paid. */
  readonly waitsFor: WaitReason | undefined;
}

/** The payouts of the next run with their accounts, and the due batches that wait. */
export interface PayoutPlan {
  readonly bank: string;
  readonly day: string;
  readonly payouts: readonly PlannedPayout[];
  /** Our accounts at the bank, one for each currency. */
  readonly own: readonly DebtorAccount[];
}

export async function findPayoutPlan(
  tx: Tx,
  { bank, day, now }: { readonly bank: string; readonly day: string; readonly now: Date },
): Promise<PayoutPlan> {
  const banks = await listDebtorAccounts(tx);
  const own = banks.filter((account) => account.bank === bank);
  const currencies = own.map(({ currency }) => currency);
  if (currencies.length === 0) {
    const names = [...new Set(banks.map((account) => account.bank))].join(", ");
    throw new CommandFailed(
      `There is no bank ${bank}. Banks: ${names || "none, set one with `payout bank set`"}.`,
    );
  }
  const due = await listDueBatches(tx, day);
  // A currency that another bank pays is left to that bank; a currency without a bank is reported.
  const isPaidByBank = ({ currency }: PayableBatch): boolean =>
    currencies.includes(currency) || !banks.some((account) => account.currency === currency);
  const payouts: PlannedPayout[] = [];
  const freeByBalance = new Map<string, bigint>();
  const position = await findBalancePosition(tx);
  for (const batch of due.filter(isPaidByBank)) {
    const balanceKey = `${batch.clientId} ${batch.currency}`;
    const freeMinor = freeByBalance.get(balanceKey) ?? (await findAvailableBalance(tx, batch, position));
    const payout = await planPayout(tx, batch, {
      freeMinor,
      now,
      hasBank: currencies.includes(batch.currency),
    });
    freeByBalance.set(balanceKey, payout.waitsFor ? freeMinor : freeMinor - batch.netMinor);
    payouts.push(payout);
  }
  return { bank, day, own, payouts };
}

async function planPayout(
  tx: Tx,
  { clientId, batchId, payoutId, attempt, currency, netMinor, dueDay }: PayableBatch,
  { freeMinor, now, hasBank }: { readonly freeMinor: bigint; readonly now: Date; readonly hasBank: boolean },
): Promise<PlannedPayout> {
  const key = { bucket: bucketOf(clientId), clientId };
  const hold = await findPayoutHold(tx, key);
  const found = await findApprovedAccount(tx, key, currency);
  const account = found && { accountId: found.accountId, holder: found.holder, iban: found.ibanShown };
  const waitsFor = waitReasonOf({ hold, hasBank, usableFrom: found?.usableFrom, freeMinor, netMinor, now });
  const amount = { currency, minor: netMinor };
  return { clientId, batchId, payoutId, attempt, amount, dueDay, account, waitsFor };
}

async function findAvailableBalance(
  tx: Tx,
  { clientId, currency }: PayableBatch,
  position: string,
): Promise<bigint> {
  const key = { bucket: bucketOf(clientId), clientId };
  const [balance, reserves] = await Promise.all([
    findBalance(tx, { ...key, account: payableAccount(clientId), currency }, position),
    listReserves(tx, key),
  ]);
  return -balance - (reserves.get(currency) ?? 0n);
}

export const payablePayouts = ({ payouts }: PayoutPlan): readonly PlannedPayout[] =>
  payouts.filter(({ waitsFor }) => waitsFor === undefined);

function sumsOf(payouts: readonly PlannedPayout[]): readonly Money[] {
  const sums = new Map<string, bigint>();
  for (const { amount } of payouts)
    sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + amount.minor);
  return [...sums].map(([currency, minor]) => ({ currency, minor }));
}

export function planTable(plan: PayoutPlan): string {
  const paid = payablePayouts(plan);
  const head = ["merchant", "batch", "due", "amount", "to", "account", "waits for"];
  const rows = plan.payouts.map((each) => [
    each.clientId,
    each.batchId,
    each.dueDay,
    formatMoney(each.amount),
    each.account?.holder ?? "",
    each.account?.iban ?? "",
    each.waitsFor ? `${each.waitsFor}: ${waitReasons[each.waitsFor]}` : "",
  ]);
  const total = `${paid.length} payouts by ${plan.bank}, ${sumsOf(paid).map(formatMoney).join(", ") || "nothing"}`;
  return [...(rows.length > 0 ? [formatTextTable([head, ...rows]), ""] : []), total].join("\n");
}
