import assert from "node:assert/strict";
import { newAdversityChooser, payoutAdversities, type BankAdversity } from "./bank-adversity.ts";
import { newBankLedger, type BankLedger, type MovementKind } from "./reference-bank-ledger.ts";
import { newDelivery, type BankMessage, type Booking } from "./bank-delivery.ts";
import { readPaymentFile, type Instruction, type PaymentFile } from "./bank-message.ts";
import type { Random } from "./seeded-random.ts";

/**
 * A simulated bank whose behaviour is drawn from a seed. It rejects duplicates, executes or rejects payouts, books
 * charges, reversals and returns, and sends status reports (pain.002), notifications (camt.054) and statements
 * (camt.053). It has its own ledger.
 */
export interface BankSimulator {
  readonly ledger: BankLedger;
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
  const books = newBankLedger();
  const delivery = newDelivery({ random: random.fork("delivery"), accounts, enabled });
  const chooseAdversity = newAdversityChooser(payoutAdversities, enabled, 0.3);
  const files = new Map<string, string>();
  /** Transactions that were accepted and not rejected later. */
  const accepted = new Set<string>();
  const randomFor = newDraws(random);
  let received: PaymentFile[] = [];
  let bookings: { readonly onDay: number; readonly booking: Booking }[] = [];
  let dayNumber = 0;

  const scheduleBooking = (days: number, booking: Booking): void => {
    bookings.push({ onDay: dayNumber + days, booking });
  };

  function process({ messageId, instructions }: PaymentFile): void {
    const batch = enabled.has("batch-booking") && random.fork(`batch ${files.size}`).chance(0.5);
    const statuses = sortByPayee(instructions).map((instruction) => {
      const instructionRandom = randomFor(instruction);
      const adversity = chooseAdversity(instructionRandom);
      const { endToEndId } = instruction;
      if (adversity === "rejected") {
        accepted.delete(endToEndId);
        return { endToEndId, code: "RJCT", reason: instructionRandom.pick(rejectionReasons) } as const;
      }
      for (const [days, booking] of bookingsOf(instruction, adversity, instructionRandom))
        scheduleBooking(
          days,
          batch && booking.kind === "execution" ? { ...booking, batch: messageId } : booking,
        );
      return { endToEndId, code: "ACSC" } as const;
    });
    delivery.answer({ messageId, statuses });
  }

  return {
    ledger: books,
    receive(text) {
      const file = readPaymentFile(text);
      const firstText = files.get(file.messageId);
      if (firstText !== undefined) {
        assert.equal(text, firstText, `message ${file.messageId} has other bytes than before`);
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
      scheduleBooking(0, { kind: "other", currency, minor, text, endToEndId: undefined, iban: undefined });
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
  adversity: Exclude<keyof typeof payoutAdversities, "rejected"> | undefined,
  random: Random,
): readonly (readonly [number, Booking])[] {
  const payout = { endToEndId, iban, currency };
  const newBooking = (
    kind: MovementKind,
    by: bigint,
    text: string,
    overrides: Partial<Booking> = {},
  ): Booking => ({
    ...payout,
    kind,
    minor: by,
    text,
    ...overrides,
  });
  const executed = [0, newBooking("execution", -minor, "payout")] as const;
  const reversal = newBooking("reversal", minor, "reversal", { isReversal: true });
  const executionAgain = newBooking("execution again", -minor, "payout");
  const charge = BigInt(random.between(50, 300));
  const keptMinor = BigInt(random.between(100, 900));
  const returnReason = random.pick(["AC04", "AC06", "MS03"]);
  const isWhole = keptMinor >= minor;
  const partialReturn = (reason?: string): readonly [number, Booking] =>
    isWhole
      ? [2, newBooking("return", minor, "returned", { returnReason })]
      : [
          2,
          newBooking("partial return", minor - keptMinor, "returned less charges", { returnReason: reason }),
        ];
  switch (adversity) {
    case "returned":
      return [executed, [2, newBooking("return", minor, "returned", { returnReason })]];
    case "returned-without-code":
      return [executed, [2, newBooking("return without code", minor, "returned")]];
    case "partly-returned":
      return [executed, partialReturn(returnReason)];
    case "partly-returned-without-code":
      return [executed, partialReturn()];
    case "charge":
      return [executed, [random.between(0, 1), newBooking("charge", -charge, "charge")]];
    case "charge-given-back":
      return [
        executed,
        [0, newBooking("charge", -charge, "charge")],
        [2, newBooking("charge given back", charge, "charge given back")],
      ];
    case "reversed":
      return [executed, [0, reversal], [0, executionAgain]];
    case "reversed-later":
      return [executed, [1, reversal], [2, executionAgain]];
    case undefined:
      return [executed];
  }
}

/** `sortByPayee` sorts payouts by payee and amount, because ids and file names are random. */
function sortByPayee(instructions: readonly Instruction[]): readonly Instruction[] {
  return instructions.toSorted((a, b) => a.iban.localeCompare(b.iban) || Number(a.minor - b.minor));
}

function byContent(a: PaymentFile, b: PaymentFile): number {
  return contentOf(a).localeCompare(contentOf(b));
}

function contentOf({ instructions }: PaymentFile): string {
  return sortByPayee(instructions)
    .map(({ currency, iban, minor }) => `${currency} ${iban} ${minor}`)
    .join("\n");
}
