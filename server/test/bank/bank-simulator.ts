import assert from "node:assert/strict";
import { newChooser, payoutAdversities, type BankAdversity } from "./bank-adversity.ts";
import { newBankBooks, type BankBooks, type MovementKind } from "./reference-bank-ledger.ts";
import { newDelivery, type BankMessage, type Booking } from "./bank-delivery.ts";
import { readPaymentFile, type Instruction, type PaymentFile } from "./bank-message.ts";
import type { Random } from "./seeded-random.ts";

/**
 * A simulated bank whose behaviour is drawn from a seed. It rejects duplicates, executes or rejects payouts, books
 * charges, reversals and returns, and sends status reports (pain.002), notifications (camt.054) and statements
 * (camt.053). It has its own ledger.
 */
export interface BankSimulator {
  readonly books: BankBooks;
  /** Receives a pain.001. Returns the accepted transactions: none for a message that it has received before. */
  receive(text: string): readonly Instruction[];
  /**
   * Books money that is not a payout, such as a provider's settlement. The amount is negative when money leaves the
   * account.
   */
  deposit(currency: string, minor: bigint, text: string): void;
  /**
   * Ends a business day: executes payouts, books entries, and returns the messages that the customer receives on that
   * day, in order.
   */
  endDay(day: string): readonly BankMessage[];
  /** Whether messages are still due on a later day. */
  hasUndelivered(): boolean;
}

export interface BankOptions {
  readonly random: Random;
  /** IBANs of the operator's accounts. The key is the currency. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Adversities to simulate. Without adversities, the bank executes everything and reports on the same day. */
  readonly adversities: readonly BankAdversity[];
}

const rejectionReasons = ["AC01", "AC04", "AG01"] as const;

export function newBankSimulator({ random, accounts, adversities }: BankOptions): BankSimulator {
  const enabled = new Set<string>(adversities);
  const books = newBankBooks();
  const delivery = newDelivery({ random: random.fork("delivery"), accounts, enabled });
  const chooseFate = newChooser(payoutAdversities, enabled, 0.3);
  const files = new Map<string, string>();
  /** Transactions that were accepted and not rejected later. */
  const accepted = new Set<string>();
  const drawFor = newDraws(random);
  let received: PaymentFile[] = [];
  let bookings: { readonly onDay: number; readonly booking: Booking }[] = [];
  let dayNumber = 0;

  const bookIn = (days: number, booking: Booking): void => {
    bookings.push({ onDay: dayNumber + days, booking });
  };

  function process({ messageId, instructions }: PaymentFile): void {
    const batch = enabled.has("batch-booking") && random.fork(`batch ${files.size}`).chance(0.5);
    const statuses = inFixedOrder(instructions).map((instruction) => {
      const draw = drawFor(instruction);
      const fate = chooseFate(draw);
      const { endToEndId } = instruction;
      if (fate === "rejected") {
        accepted.delete(endToEndId);
        return { endToEndId, code: "RJCT", reason: draw.pick(rejectionReasons) } as const;
      }
      for (const [days, booking] of bookingsOf(instruction, fate, draw))
        bookIn(days, batch && booking.kind === "execution" ? { ...booking, batch: messageId } : booking);
      return { endToEndId, code: "ACSC" } as const;
    });
    delivery.answer({ messageId, statuses });
  }

  return {
    books,
    receive(text) {
      const file = readPaymentFile(text);
      const known = files.get(file.messageId);
      if (known !== undefined) {
        assert.equal(text, known, `message ${file.messageId} has other bytes than before`);
        books.duplicateMessages += 1;
        delivery.refuseMessage(file.messageId);
        return [];
      }
      files.set(file.messageId, text);
      const isDuplicate = ({ endToEndId }: Instruction): boolean => accepted.has(endToEndId);
      const duplicates = file.instructions.filter(isDuplicate);
      books.duplicateTransactions += duplicates.length;
      if (duplicates.length > 0) delivery.refuseTransactions(file.messageId, duplicates);
      const instructions = file.instructions.filter((each) => !isDuplicate(each));
      for (const { endToEndId } of instructions) accepted.add(endToEndId);
      if (instructions.length > 0) received.push({ ...file, instructions });
      return instructions;
    },
    deposit(currency, minor, text) {
      bookIn(0, { kind: "other", currency, minor, text, endToEndId: undefined, iban: undefined });
    },
    endDay(day) {
      for (const file of received.toSorted(byContent)) process(file);
      received = [];
      const today = bookings.filter(({ onDay }) => onDay === dayNumber).map(({ booking }) => booking);
      bookings = bookings.filter(({ onDay }) => onDay !== dayNumber);
      for (const { kind, currency, minor, endToEndId, iban } of today)
        books.add({ kind, currency, minor, day, endToEndId, iban });
      dayNumber += 1;
      return delivery.endDay(day, today);
    },
    hasUndelivered: () => bookings.length > 0 || received.length > 0 || delivery.hasUndelivered(),
  };
}

/**
 * `newDraws` returns a random generator for each payee and number, so that the order of transactions in a file does not
 * matter.
 */
function newDraws(random: Random): (instruction: Instruction) => Random {
  const counts = new Map<string, number>();
  return ({ iban, currency }) => {
    const payee = `${iban} ${currency}`;
    const nth = (counts.get(payee) ?? 0) + 1;
    counts.set(payee, nth);
    return random.fork(`${payee} ${nth}`);
  };
}

/** `bookingsOf` returns the bookings of an executed payout, each with the number of days until it. */
function bookingsOf(
  { endToEndId, iban, currency, minor }: Instruction,
  fate: Exclude<keyof typeof payoutAdversities, "rejected"> | undefined,
  draw: Random,
): readonly (readonly [number, Booking])[] {
  const of = { endToEndId, iban, currency };
  const move = (kind: MovementKind, by: bigint, text: string, more: Partial<Booking> = {}): Booking => ({
    ...of,
    kind,
    minor: by,
    text,
    ...more,
  });
  const executed = [0, move("execution", -minor, "payout")] as const;
  const reversal = move("reversal", minor, "reversal", { isReversal: true });
  const again = move("execution again", -minor, "payout");
  const charge = BigInt(draw.between(50, 300));
  const kept = BigInt(draw.between(100, 900));
  const returnReason = draw.pick(["AC04", "AC06", "MS03"]);
  const isWhole = kept >= minor;
  const partly = (reason?: string): readonly [number, Booking] =>
    isWhole
      ? [2, move("return", minor, "returned", { returnReason })]
      : [2, move("partial return", minor - kept, "returned less charges", { returnReason: reason })];
  switch (fate) {
    case "returned":
      return [executed, [2, move("return", minor, "returned", { returnReason })]];
    case "returned-without-code":
      return [executed, [2, move("return without code", minor, "returned")]];
    case "partly-returned":
      return [executed, partly(returnReason)];
    case "partly-returned-without-code":
      return [executed, partly()];
    case "charge":
      return [executed, [draw.between(0, 1), move("charge", -charge, "charge")]];
    case "charge-given-back":
      return [
        executed,
        [0, move("charge", -charge, "charge")],
        [2, move("charge given back", charge, "charge given back")],
      ];
    case "reversed":
      return [executed, [0, reversal], [0, again]];
    case "reversed-later":
      return [executed, [1, reversal], [2, again]];
    case undefined:
      return [executed];
  }
}

/** `inFixedOrder` sorts payouts by payee and amount, because ids and file names are random. */
function inFixedOrder(instructions: readonly Instruction[]): readonly Instruction[] {
  return instructions.toSorted((a, b) => a.iban.localeCompare(b.iban) || Number(a.minor - b.minor));
}

function byContent(a: PaymentFile, b: PaymentFile): number {
  return contentOf(a).localeCompare(contentOf(b));
}

function contentOf({ instructions }: PaymentFile): string {
  return inFixedOrder(instructions)
    .map(({ currency, iban, minor }) => `${currency} ${iban} ${minor}`)
    .join("\n");
}
