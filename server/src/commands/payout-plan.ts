import { bucketOf } from "../core/bucket.ts";
import { sha256 } from "../core/digest.ts";
import { formatMoney, type Money } from "../core/money.ts";
import { findBalance, findBalancePosition } from "../ledger/balance.sql.ts";
import { listReserves } from "../ledger/reserve.sql.ts";
import { payable } from "../ledger/transfer.ts";
import type { Tx } from "../postgres/sql.ts";
import { findApprovedAccount } from "../settlement/bank-account.sql.ts";
import { listDueBatches, type PayableBatch } from "../settlement/batch.sql.ts";
import { findPayoutHold } from "../settlement/payout-hold.sql.ts";
import { waitReasonOf, waitReasons, type WaitReason } from "../settlement/payout.ts";
import { listOwnAccounts } from "../settlement/payout-file.sql.ts";
import { Impossible } from "./command.ts";
import { align } from "./table.ts";

export interface PlannedPayout {
  readonly clientId: string;
  readonly batchId: string;
  readonly amount: Money;
  readonly dueDay: string;
  /** Where it goes; absent when there is no approved account. */
  readonly account:
    | { readonly accountId: string; readonly holder: string; readonly iban: string }
    | undefined;
  /** Why it is not paid now; absent when it is. */
  readonly waitsFor: WaitReason | undefined;
}

/** What a run would pay, to whom, and what it would not. */
export interface PayoutPlan {
  readonly bank: string;
  readonly day: string;
  /** Batches of an earlier run that was cut off: released, and not claimed yet. */
  readonly released: readonly PayableBatch[];
  readonly payouts: readonly PlannedPayout[];
  /** The currencies in which the bank has an account of ours. */
  readonly currencies: readonly string[];
}

export async function findPlan(
  tx: Tx,
  { bank, day, now }: { readonly bank: string; readonly day: string; readonly now: Date },
): Promise<PayoutPlan> {
  const own = await listOwnAccounts(tx);
  const currencies = own.filter((account) => account.bank === bank).map(({ currency }) => currency);
  if (currencies.length === 0) {
    const names = [...new Set(own.map((account) => account.bank))].join(", ");
    throw new Impossible(`There is no bank ${bank}. There are: ${names || "none; see `payout bank set`"}.`);
  }
  const due = await listDueBatches(tx, day);
  // What another bank of ours pays is none of this one's business; what none pays is told.
  const isOurs = ({ currency }: PayableBatch): boolean =>
    currencies.includes(currency) || !own.some((account) => account.currency === currency);
  const payouts: PlannedPayout[] = [];
  const free = new Map<string, bigint>();
  const position = await findBalancePosition(tx);
  for (const batch of due.filter((each) => each.status === "DUE" && isOurs(each))) {
    const purse = `${batch.clientId} ${batch.currency}`;
    const freeMinor = free.get(purse) ?? (await findFree(tx, batch, position));
    const payout = await planOne(tx, batch, { freeMinor, now, hasBank: currencies.includes(batch.currency) });
    free.set(purse, payout.waitsFor ? freeMinor : freeMinor - batch.netMinor);
    payouts.push(payout);
  }
  const released = due.filter((each) => each.status === "PAYING" && each.bank === bank);
  return { bank, day, currencies, payouts, released };
}

async function planOne(
  tx: Tx,
  { clientId, batchId, currency, netMinor, dueDay }: PayableBatch,
  { freeMinor, now, hasBank }: { readonly freeMinor: bigint; readonly now: Date; readonly hasBank: boolean },
): Promise<PlannedPayout> {
  const key = { bucket: bucketOf(clientId), clientId };
  const hold = await findPayoutHold(tx, key);
  const found = await findApprovedAccount(tx, key, currency);
  const account = found && { accountId: found.accountId, holder: found.holder, iban: found.ibanShown };
  const waitsFor = waitReasonOf({ hold, hasBank, usableFrom: found?.usableFrom, freeMinor, netMinor, now });
  return { clientId, batchId, amount: { currency, minor: netMinor }, dueDay, account, waitsFor };
}

async function findFree(tx: Tx, { clientId, currency }: PayableBatch, position: string): Promise<bigint> {
  const key = { bucket: bucketOf(clientId), clientId };
  const [balance, reserves] = await Promise.all([
    findBalance(tx, { ...key, account: payable(clientId), currency }, position),
    listReserves(tx, key),
  ]);
  return -balance - (reserves.get(currency) ?? 0n);
}

export const toPay = ({ payouts }: PayoutPlan): readonly PlannedPayout[] =>
  payouts.filter(({ waitsFor }) => waitsFor === undefined);

/** What a second person approves: these payouts to these accounts, and no others. The digest stands in the plan as it is printed. */
export function planAct(plan: PayoutPlan): {
  readonly act: string;
  readonly subject: string;
  readonly after: object;
} {
  const paid = toPay(plan);
  return {
    act: "payout run",
    subject: plan.bank,
    after: {
      payoutCount: paid.length,
      sums: sumsOf(paid).map(formatMoney).join(", "),
      plan: planDigest(paid),
    },
  };
}

function planDigest(paid: readonly PlannedPayout[]): string {
  const lines = paid.map(
    ({ batchId, amount, account }) => `${batchId} ${formatMoney(amount)} ${account?.accountId}`,
  );
  return sha256(lines.join("\n")).toString("hex");
}

function sumsOf(payouts: readonly PlannedPayout[]): readonly Money[] {
  const sums = new Map<string, bigint>();
  for (const { amount } of payouts)
    sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + amount.minor);
  return [...sums].map(([currency, minor]) => ({ currency, minor }));
}

export function planTable(plan: PayoutPlan): string {
  const paid = toPay(plan);
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
  return [
    ...(rows.length > 0 ? [align([head, ...rows]), ""] : []),
    total,
    ...(plan.released.length > 0
      ? [`and ${plan.released.length} that an earlier run has begun: they are claimed first`]
      : []),
    ...(paid.length > 0 ? [`plan ${planDigest(paid)}`] : []),
  ].join("\n");
}
