import { formatMoney } from "../core/money.ts";
import { signedMinor, type BankStatement } from "./camt.ts";

/** A statement that can be posted: it has an opening and a closing balance, in its own currency. */
export interface BookableStatement extends BankStatement {
  readonly opening: NonNullable<BankStatement["opening"]>;
  readonly closing: NonNullable<BankStatement["closing"]>;
}

/**
 * Returns the first reason to reject a statement, or undefined. A statement whose balances and entries do not add up is
 * truncated or was changed.
 */
export function statementProblem(statement: BankStatement): string | undefined {
  if (!isBookable(statement))
    return "The opening balance (OPBD, PRCD) or the closing balance (CLBD) is missing.";
  const { opening, closing, entries } = statement;
  const { currency } = opening.amount;
  const foreign = [closing, ...entries].find(({ amount }) => amount.currency !== currency);
  if (foreign)
    return `The statement is in ${currency}, but contains an amount in ${foreign.amount.currency}.`;
  const minor = entries.reduce((sum, entry) => sum + signedMinor(entry), opening.amount.minor);
  if (minor === closing.amount.minor) return undefined;
  const [computed, closingText] = [{ currency, minor }, closing.amount].map(formatMoney);
  return `The opening balance and the entries sum to ${computed}, but the closing balance is ${closingText}.`;
}

export function isBookable(statement: BankStatement): statement is BookableStatement {
  return statement.opening !== undefined && statement.closing !== undefined;
}
