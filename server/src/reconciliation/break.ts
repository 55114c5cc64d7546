import assert from "node:assert/strict";
import type { Money } from "../core/money.ts";
import type { MovementKind } from "./settlement-row.ts";

/** Three-way reconciliation: one movement of money, as our records, the ledger and the wallet's file have it. */
export interface Compared {
  readonly connector: string | undefined;
  readonly movement: MovementKind;
  /** The wallet's name for it; our own id for a movement that only the ledger knows. */
  readonly reference: string;
  readonly paymentId: string | undefined;
  readonly at: Date;
  /** Whether it is before the cut-off of the wallet's files, so that they have to name it. */
  readonly isDue: boolean;
  readonly here: Money | undefined;
  readonly ledger: Money | undefined;
  readonly wallet: Money | undefined;
  /** Further lines of the wallet under the same reference. */
  readonly again: Again | undefined;
}

/** A line with another time than the first is another movement; with the same time, the same one, changed. */
export interface Again {
  readonly movedCount: number;
  readonly changedCount: number;
  /** The amount of the last of them. */
  readonly amount: Money;
}

type Rule = {
  readonly applies: (compared: Compared) => boolean;
  /** Whether only a wallet's file can show it, once its cut-off has passed the movement. */
  readonly needsFile: boolean;
  readonly whatToDo: string;
};

/** How records, ledger and wallet can disagree about a movement. */
const movementBreaks = {
  "missing at the wallet": {
    applies: ({ here, wallet, isDue }) => isDue && here !== undefined && !wallet,
    needsFile: true,
    whatToDo: "Is a file missing? If not, ask the wallet where the money is.",
  },
  "missing here": {
    applies: ({ here, ledger, wallet, isDue }) => isDue && wallet !== undefined && !here && !ledger,
    needsFile: true,
    whatToDo: "The wallet moved money that we know nothing of: look at the payment, and ask the wallet.",
  },
  "missing in the ledger": {
    applies: ({ here, ledger }) => here !== undefined && !ledger,
    needsFile: false,
    whatToDo: "A record without its effect should not be possible: find out who wrote it.",
  },
  "only in the ledger": {
    applies: ({ here, ledger }) => ledger !== undefined && !here,
    needsFile: false,
    whatToDo: "An effect without its record should not be possible: find out who wrote it.",
  },
  "other amount": {
    applies: (compared) => hasOne(compared) && !hasSame(compared, ({ minor }) => minor),
    needsFile: false,
    whatToDo: "Ask the wallet what it really moved.",
  },
  "other currency": {
    applies: (compared) => !hasOne(compared),
    needsFile: false,
    whatToDo: "Ask the wallet what it really moved.",
  },
  "twice at the wallet": {
    applies: ({ again }) => again !== undefined && again.movedCount > 0,
    needsFile: false,
    whatToDo: "The wallet has to give one of them back.",
  },
  "changed row": {
    applies: ({ again }) => again !== undefined && again.changedCount > 0,
    needsFile: false,
    whatToDo: "The wallet has rewritten what it said before: ask it which is true.",
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** Where our own books disagree with themselves: a stored sum, and the sum of its rows. */
const bookBreaks = {
  "captured sum": "What the payment says was captured is not what its captures add up to.",
  "refunded sum": "What the payment says was refunded is not what its refunds add up to.",
  "disputed sum": "What the payment says is disputed is not what its disputes hold and have taken.",
  "open refunds": "What the merchant's reserve holds is not what its open refunds and cancels need.",
  balance:
    "The balance is not the sum of the ledger's rows. Find out why; `balances rebuild` then sums all of them anew.",
  "closed month":
    "Something was posted into a month after it was closed. Find out by whom; `ledger export` of the month shows the rows.",
} as const;

/** Where what is in clearing, and what banks tell, do not agree. */
const bankBreaks = {
  "not at the bank":
    "Is a statement missing? If not, ask the wallet for proof of its payout, or the bank for our own.",
  "only at the bank":
    "Nobody has told us what it is. Is a wallet's file missing? A charge of the bank is written off.",
  "other amount at the bank": "Who has kept the difference? Ask the wallet, and then the bank.",
  "statement gap":
    "It does not begin with what the statement before ended with: import what is between them.",
  "payout discrepancy":
    "Our account has entries under a payout's reference that are neither its amount nor its full return with the bank's return code. Compare with the bank's statement: a charge is written off; ask the bank about the rest.",
  "payout contradiction":
    "The bank says something else about a payout than its status. Call the bank before the next payout run: the merchant may have been paid twice, or not at all.",
  "clearing balance":
    "The clearing account is not the sum of what is open in it. Find the posting that belongs to no payout, no bank entry and no open break.",
  "bank balance":
    "The bank's account in the ledger is not what its last statement says. Without a gap, our own books are wrong: stop, find out why.",
} as const;

/** Where a break was written off, and the money moved after all. */
const writeOffBreaks = {
  "written off, then booked by bank or provider":
    "The money was written off, and is booked now: the write-off is wrong. `break write-off` of this break reverses it.",
} as const;

/** Where a wallet kept something else than its contract says. */
const costBreaks = {
  "wallet fee differs":
    "Ask the wallet by which contract it has kept that. If the contract has changed, `fee cost set` says so from a day on.",
} as const;

type MovementBreak = keyof typeof movementBreaks;
export type BookBreak = keyof typeof bookBreaks;
export type BankBreak = keyof typeof bankBreaks;
type CostBreak = keyof typeof costBreaks;
type WriteOffBreak = keyof typeof writeOffBreaks;
export type BreakKind = MovementBreak | BookBreak | BankBreak | CostBreak | WriteOffBreak;

export const writtenOffThenBooked: WriteOffBreak = "written off, then booked by bank or provider";
/** Breaks about balances, which only a run over everything can see. */
export const balanceBreakKinds: readonly BankBreak[] = ["bank balance", "clearing balance"];

export const bankBreakKinds = keysOf(bankBreaks);
export const costBreakKinds = keysOf(costBreaks);
export const breakKinds = [
  ...keysOf(movementBreaks),
  ...keysOf(bookBreaks),
  ...bankBreakKinds,
  ...costBreakKinds,
  ...keysOf(writeOffBreaks),
];
/** Breaks that only a wallet's file can show, and only a wallet's file can resolve. */
export const breaksThatNeedFile: readonly BreakKind[] = [
  ...keysOf(movementBreaks).filter((kind) => movementBreaks[kind].needsFile),
  ...costBreakKinds,
];

export const sumNames = ["here", "ledger", "wallet", "bank", "again", "written", "expected"] as const;
export type SumName = (typeof sumNames)[number];

/** A reconciliation break: a difference that people have to look at. */
export interface Break {
  readonly kind: BreakKind;
  /** Absent for a break in which no wallet has a part. */
  readonly connector: string | undefined;
  /** What the sums are of: a movement, or a part of our books. */
  readonly subject: string;
  readonly reference: string;
  readonly paymentId: string | undefined;
  readonly currency: string;
  readonly sums: Readonly<Partial<Record<SumName, Money>>>;
  /** When the money moved, where that is known. */
  readonly at: Date | undefined;
}

/** All breaks of a movement; none when it matches, or is not due yet. */
export function breaksOf(compared: Compared): readonly Break[] {
  const { connector, movement: subject, reference, paymentId, at, here, ledger, wallet, again } = compared;
  const currency = (here ?? wallet ?? ledger)?.currency;
  assert(currency, "A movement is known to somebody.");
  const sums = {
    ...(here && { here }),
    ...(ledger && { ledger }),
    ...(wallet && { wallet }),
    ...(again && { again: again.amount }),
  };
  return keysOf(movementBreaks)
    .filter((kind) => movementBreaks[kind].applies(compared))
    .map((kind) => ({ kind, connector, subject, reference, paymentId, currency, sums, at }));
}

export function whatToDo(kind: BreakKind): string {
  return whatToDoAbout[kind];
}

const whatToDoAbout: Readonly<Record<BreakKind, string>> = {
  ...(Object.fromEntries(
    keysOf(movementBreaks).map((kind) => [kind, movementBreaks[kind].whatToDo]),
  ) as Record<MovementBreak, string>),
  ...bookBreaks,
  ...bankBreaks,
  ...costBreaks,
  ...writeOffBreaks,
};

export type Age = "today" | "1–2 days" | "3–7 days" | "over a week";

const dayMs = 24 * 3600 * 1000;

/** The age of a break, in calendar days (UTC). */
export function ageOf(at: Date, now: Date): Age {
  const days = Math.floor(now.getTime() / dayMs) - Math.floor(at.getTime() / dayMs);
  if (days < 1) return "today";
  if (days < 3) return "1–2 days";
  return days <= 7 ? "3–7 days" : "over a week";
}

function hasOne(compared: Compared): boolean {
  return hasSame(compared, ({ currency }) => currency);
}

function hasSame({ here, ledger, wallet }: Compared, read: (money: Money) => unknown): boolean {
  const known = [here, ledger, wallet].flatMap((money) => (money ? [read(money)] : []));
  return new Set(known).size <= 1;
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[];
}
