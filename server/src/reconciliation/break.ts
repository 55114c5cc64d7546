import assert from "node:assert/strict";
import type { Money } from "../core/money.ts";
import type { MovementKind } from "./settlement-row.ts";

/**
 * A movement of money for three-way reconciliation, with the amounts in our records, the ledger and the provider's
 * file.
 */
export interface ComparedMovement {
  readonly connector: string | undefined;
  readonly movement: MovementKind;
  /** The provider's reference; our own id for a movement that has none. */
  readonly reference: string;
  readonly paymentId: string | undefined;
  readonly at: Date;
  /** Whether the movement is before the cut-off of the provider's files, so that the files must contain it. */
  readonly isDue: boolean;
  readonly recorded: Money | undefined;
  readonly ledger: Money | undefined;
  readonly provider: Money | undefined;
  /** Further lines of the provider's files with the same reference. */
  readonly repeatedLines: RepeatedLines | undefined;
}

/**
 * Further lines with the reference of a known line. A line with another time is another movement; a line with the same
 * time is the same movement, changed.
 */
export interface RepeatedLines {
  readonly movedCount: number;
  readonly changedCount: number;
  /** The amount of the last of these lines. */
  readonly amount: Money;
}

type Rule = {
  readonly applies: (compared: ComparedMovement) => boolean;
  /** Whether only a provider's file can show this break, once the file's cut-off is after the movement. */
  readonly needsFile: boolean;
  readonly whatToDo: string;
};

/** Kinds of disagreement between our records, the ledger and the provider's file about a movement. */
const movementBreaks = {
  "missing at the provider": {
    applies: ({ recorded, provider, isDue }) => isDue && recorded !== undefined && !provider,
    needsFile: true,
    whatToDo: "Check whether a file is missing. If not, ask the provider where the money is.",
  },
  "missing here": {
    applies: ({ recorded, ledger, provider, isDue }) =>
      isDue && provider !== undefined && !recorded && !ledger,
    needsFile: true,
    whatToDo: "The provider moved money without a record here. Check the payment, and ask the provider.",
  },
  "missing in the ledger": {
    applies: ({ recorded, ledger }) => recorded !== undefined && !ledger,
    needsFile: false,
    whatToDo: "A record without its effect is a bug. Find out which program or person wrote it.",
  },
  "only in the ledger": {
    applies: ({ recorded, ledger }) => ledger !== undefined && !recorded,
    needsFile: false,
    whatToDo: "An effect without its record is a bug. Find out which program or person wrote it.",
  },
  "other amount": {
    applies: (compared) => hasOneCurrency(compared) && !hasEqual(compared, ({ minor }) => minor),
    needsFile: false,
    whatToDo: "Ask the provider which amount it moved.",
  },
  "other currency": {
    applies: (compared) => !hasOneCurrency(compared),
    needsFile: false,
    whatToDo: "Ask the provider which currency it moved.",
  },
  "twice at the provider": {
    applies: ({ repeatedLines }) => repeatedLines !== undefined && repeatedLines.movedCount > 0,
    needsFile: false,
    whatToDo: "The provider must return one of them.",
  },
  "changed row": {
    applies: ({ repeatedLines }) => repeatedLines !== undefined && repeatedLines.changedCount > 0,
    needsFile: false,
    whatToDo: "The provider changed an earlier row. Ask which version is correct.",
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** Inconsistencies of our own ledger and records, where a stored sum differs from the sum of its rows. */
const ledgerBreaks = {
  "captured sum": "The captured amount of the payment differs from the sum of its captures.",
  "refunded sum": "The refunded amount of the payment differs from the sum of its refunds.",
  "disputed sum": "The disputed amount of the payment differs from the amounts of its disputes.",
  "open refunds": "The merchant's reserve differs from the amounts that its open refunds and cancels need.",
  balance:
    "The balance differs from the sum of its ledger rows. Find the cause; then `balances rebuild` sums all " +
    "of them again.",
  "closed month":
    "A row was posted into a month after it was closed. Find out by which login; `ledger export` of the " +
    "month shows the rows.",
} as const;

/** Merchants who owe the operator money. The ledger is right, and only the merchant or its next sales can cover it. */
const debtBreaks = {
  "negative balance":
    "No settlement has covered this merchant's negative balance for more than 30 days. Send the merchant an " +
    "invoice, or collect the amount by the contract.",
} as const;

/** Disagreements between the account `clearing` and bank statements. */
const bankBreaks = {
  "not at the bank":
    "Check whether a statement is missing. If not, ask the provider for proof of its payout, or the bank for " +
    "proof of ours.",
  "only at the bank":
    "The entry has no known origin. Check whether a provider's file is missing. Write off a charge of the " +
    "bank.",
  "other amount at the bank": "Find out where the difference is. Ask the provider, then the bank.",
  "statement gap":
    "The statement does not open with the closing balance of the previous one. Import the statements in " +
    "between.",
  "payout discrepancy":
    "Our account has entries with a payout's reference that are neither its amount nor its full return with " +
    "the bank's return code. Compare them with the bank's statement: write off a charge, and ask the bank " +
    "about the rest.",
  "payout contradiction":
    "The bank's report contradicts the payout's status. Call the bank before the next payout run, because " +
    "the merchant may have been paid twice, or not at all.",
  "clearing balance":
    "The balance of clearing differs from the sum of its open items. Find the posting that belongs to no " +
    "payout, no bank entry and no open break.",
  "bank balance":
    "The bank's account in the ledger differs from its last statement. If there is no statement gap, our own " +
    "ledger is wrong: stop and find the cause.",
} as const;

/** Breaks that were written off although their money moved after all. */
const writeOffBreaks = {
  "written off, then booked by bank or provider":
    "The written-off money is booked now, so the write-off is wrong. Reverse it with `break write-off` of " +
    "this break.",
} as const;

/** Differences between a provider's fees and its contract, and between its payouts and their rows. */
const costBreaks = {
  "provider fee differs":
    "Ask the provider which contract it applied. If the contract has changed, enter it with `fee cost set`.",
  "provider payout differs":
    "The rows that name this payout do not add up to it. Check whether a file is missing. If not, ask the " +
    "provider which rows the payout contains.",
} as const;

type MovementBreak = keyof typeof movementBreaks;
export type LedgerBreak = keyof typeof ledgerBreaks;
type DebtBreak = keyof typeof debtBreaks;
export type BankBreak = keyof typeof bankBreaks;
type CostBreak = keyof typeof costBreaks;
type WriteOffBreak = keyof typeof writeOffBreaks;
export type BreakKind = MovementBreak | LedgerBreak | DebtBreak | BankBreak | CostBreak | WriteOffBreak;

export const writtenOffThenBooked: WriteOffBreak = "written off, then booked by bank or provider";
/** Breaks about balances, which only a complete run can find. */
export const balanceBreakKinds: readonly BankBreak[] = ["bank balance", "clearing balance"];

export const bankBreakKinds = keysOf(bankBreaks);
export const costBreakKinds = keysOf(costBreaks);
export const breakKinds = [
  ...keysOf(movementBreaks),
  ...keysOf(ledgerBreaks),
  ...keysOf(debtBreaks),
  ...bankBreakKinds,
  ...costBreakKinds,
  ...keysOf(writeOffBreaks),
];
/** Breaks that only a provider's file can show and resolve. */
export const breaksThatNeedFile: readonly BreakKind[] = [
  ...keysOf(movementBreaks).filter((kind) => movementBreaks[kind].needsFile),
  ...costBreakKinds,
];

export const sumNames = ["here", "ledger", "provider", "bank", "again", "written", "expected"] as const;
export type SumName = (typeof sumNames)[number];

/** A break: a discrepancy that people must investigate. */
export interface Break {
  readonly kind: BreakKind;
  /** Absent for a break without a provider. */
  readonly connector: string | undefined;
  /** The movement, or the part of the ledger, that differs. */
  readonly subject: string;
  readonly reference: string;
  readonly paymentId: string | undefined;
  readonly currency: string;
  readonly sums: Readonly<Partial<Record<SumName, Money>>>;
  /** Time of the movement, if known. */
  readonly at: Date | undefined;
}

/**
 * `breaksOf` returns all breaks of a movement. There are none if the sides agree, or if the movement is not due yet.
 */
export function breaksOf(compared: ComparedMovement): readonly Break[] {
  const {
    connector,
    movement: subject,
    reference,
    paymentId,
    at,
    recorded,
    ledger,
    provider,
    repeatedLines,
  } = compared;
  const currency = (recorded ?? provider ?? ledger)?.currency;
  assert(currency, "A movement has at least one side.");
  const sums = {
    ...(recorded && { here: recorded }),
    ...(ledger && { ledger }),
    ...(provider && { provider }),
    ...(repeatedLines && { again: repeatedLines.amount }),
  };
  return keysOf(movementBreaks)
    .filter((kind) => movementBreaks[kind].applies(compared))
    .map((kind) => ({ kind, connector, subject, reference, paymentId, currency, sums, at }));
}

export function recommendedActionFor(kind: BreakKind): string {
  return whatToDoAbout[kind];
}

const whatToDoAbout: Readonly<Record<BreakKind, string>> = {
  ...(Object.fromEntries(
    keysOf(movementBreaks).map((kind) => [kind, movementBreaks[kind].whatToDo]),
  ) as Record<MovementBreak, string>),
  ...ledgerBreaks,
  ...debtBreaks,
  ...bankBreaks,
  ...costBreaks,
  ...writeOffBreaks,
};

export type BreakAge = "today" | "1–2 days" | "3–7 days" | "over a week";

const dayMs = 24 * 3600 * 1000;

/** Returns the age of a break, in calendar days (UTC). */
export function breakAgeOf(at: Date, now: Date): BreakAge {
  const days = Math.floor(now.getTime() / dayMs) - Math.floor(at.getTime() / dayMs);
  if (days < 1) return "today";
  if (days < 3) return "1–2 days";
  return days <= 7 ? "3–7 days" : "over a week";
}

function hasOneCurrency(compared: ComparedMovement): boolean {
  return hasEqual(compared, ({ currency }) => currency);
}

function hasEqual(
  { recorded, ledger, provider }: ComparedMovement,
  read: (money: Money) => unknown,
): boolean {
  const known = [recorded, ledger, provider].flatMap((money) => (money ? [read(money)] : []));
  return new Set(known).size <= 1;
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[];
}
