import { accountingDayOf } from "../core/accounting-day.ts";
import { csvLine } from "../formats/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { numberedAccount } from "./account-number.ts";
import type { PostedTransfer } from "./transfer.ts";

export const journalHead = [
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
export function journalLines(transfer: PostedTransfer & { readonly clientId: string }): string {
  const { subjectId, effect, line, debit, credit, amount, at, clientId } = transfer;
  const sum = toDecimal(amount);
  const side = (account: string, sums: readonly [debit: string, credit: string]): string => {
    const { number, name, of } = numberedAccount(account);
    const entry = `${subjectId} ${effect} ${line}`;
    return csvLine([
      accountingDayOf(at),
      at.toISOString(),
      entry,
      number,
      name,
      of,
      amount.currency,
      ...sums,
      clientId,
    ]);
  };
  return side(debit, [sum, ""]) + side(credit, ["", sum]);
}
