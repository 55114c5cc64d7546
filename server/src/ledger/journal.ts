import { accountingDayOf } from "../core/accounting-day.ts";
import { formatCsvLine } from "../formats/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { toNumberedAccount } from "./account-number.ts";
import type { PostedTransfer } from "./transfer.ts";

export const journalHeader = [
  "day",
  "time",
  "entry",
  "accountNumber",
  "account",
  "subAccount",
  "currency",
  "debit",
  "credit",
  "merchant",
] as const;

/** Formats two lines for a general ledger, debit and credit, in major units. */
export function formatJournalLines(transfer: PostedTransfer & { readonly clientId: string }): string {
  const { subjectId, effect, line, debit, credit, amount, at, clientId } = transfer;
  const sum = toDecimal(amount);
  const formatSide = (account: string, sums: readonly [debit: string, credit: string]): string => {
    const { number, name, owner } = toNumberedAccount(account);
    const entry = `${subjectId} ${effect} ${line}`;
    return formatCsvLine([
      accountingDayOf(at),
      at.toISOString(),
      entry,
      number,
      name,
      owner,
      amount.currency,
      ...sums,
      clientId,
    ]);
  };
  return formatSide(debit, [sum, ""]) + formatSide(credit, ["", sum]);
}
