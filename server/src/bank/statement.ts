import { formatMoney } from "../core/money.ts";
import { signedMinor, type BankStatement } from "./camt.ts";

/** A statement that can be booked: it has both balances, and they are in its own currency. */
export interface BookableStatement extends BankStatement {
  readonly opening: NonNullable<BankStatement["opening"]>;
  readonly closing: NonNullable<BankStatement["closing"]>;
}

/** The first reason not to take a statement, or undefined. What does not add up was cut short, or is not what the bank has written. */
export function statementProblem(statement: BankStatement): string | undefined {
  if (!isBookable(statement)) return "It lacks its opening balance (OPBD, PRCD) or its closing one (CLBD).";
  const { opening, closing, entries } = statement;
  const { currency } = opening.amount;
  const foreign = [closing, ...entries].find(({ amount }) => amount.currency !== currency);
  if (foreign) return `It is in ${currency}, and something in it is in ${foreign.amount.currency}.`;
  const minor = entries.reduce((sum, entry) => sum + signedMinor(entry), opening.amount.minor);
  if (minor === closing.amount.minor) return undefined;
  const [reckoned, told] = [{ currency, minor }, closing.amount].map(formatMoney);
  return `Its opening balance and its entries come to ${reckoned}, and its closing balance is ${told}.`;
}

export function isBookable(statement: BankStatement): statement is BookableStatement {
  return statement.opening !== undefined && statement.closing !== undefined;
}
