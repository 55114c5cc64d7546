import {
  moneyEvents,
  readOperations,
  type JournalLine,
  type JournalOperations,
} from "./journal-operations.ts";

/** The index of the provider's own journal: the state of every order, and the movements of money. */
export interface ProviderJournal extends JournalOperations {
  /** Payment id → number of times that an order was opened. */
  readonly openings: ReadonlyMap<string, number>;
  /** Reference → movements of money; in `authorized`, authorization holds. */
  readonly paid: ReadonlyMap<string, readonly Movement[]>;
  readonly authorized: ReadonlyMap<string, readonly Movement[]>;
  readonly captured: ReadonlyMap<string, readonly Movement[]>;
  readonly refunded: ReadonlyMap<string, readonly Movement[]>;
  /** Refunds that failed after they were done: their money came back. */
  readonly returned: ReadonlyMap<string, readonly Movement[]>;
  /** The provider's dispute id → amounts that the dispute took. */
  readonly disputed: ReadonlyMap<string, readonly Movement[]>;
  /** Reference → the last change of its order. */
  readonly lastChange: ReadonlyMap<string, string>;
  /** References for which a provider received any request to act. */
  readonly calls: ReadonlySet<string>;
  /** References of orders for which a provider received a cancel. A cancel has no reference of its own. */
  readonly cancelCalls: ReadonlySet<string>;
  /** References that a provider rejected, or accepted and failed. */
  readonly refused: ReadonlySet<string>;
  /** Events that the gateway has not confirmed. */
  readonly unconfirmed: readonly string[];
}

export interface Movement {
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: bigint;
}

const disputeChanges = ["dispute-opened", "dispute-changed"];
const stateChanges = ["pending", "authorized", "paid", "declined", "closed", "lapsed"];
const cancelChanges = ["cancel-started", "cancel-failed"];

const moneyCalls = ["submit", "capture", "refund"];

/** Returns the reference of the capture or refund; without one, that of the order. */
function referenceOf({ captureReference, refundReference, reference }: JournalLine): string {
  return String(captureReference ?? refundReference ?? reference);
}

export function readProviderJournal(lines: readonly JournalLine[]): ProviderJournal {
  const openings = new Map<string, number>();
  for (const { kind, outcome, paymentId } of lines) {
    if (kind !== "submit" || (outcome !== "opened" && outcome !== "opened-again")) continue;
    openings.set(String(paymentId), (openings.get(String(paymentId)) ?? 0) + 1);
  }
  const calls = lines.filter(({ kind }) => moneyCalls.includes(String(kind)));
  const changes = lines.filter(({ kind }) => stateChanges.includes(String(kind)));
  const confirmed = new Set(lines.filter(({ kind }) => kind === "callback").map(({ eventId }) => eventId));
  return {
    openings,
    paid: groupMovements(lines, "paid", "reference", "paidAmount"),
    authorized: groupMovements(omitRepeatedHolds(lines), "authorized", "reference", "paidAmount"),
    captured: groupMovements(lines, "captured", "captureReference", "amount"),
    refunded: groupMovements(lines, "refunded", "refundReference", "amount"),
    returned: groupMovements(
      lines.filter(({ isReversal }) => isReversal === true),
      "refund-failed",
      "refundReference",
      "amount",
    ),
    disputed: groupMovements(
      lines
        .filter(({ takenAmount }) => takenAmount !== undefined)
        .map((line) => ({ ...line, kind: "taken" })),
      "taken",
      "providerDisputeId",
      "takenAmount",
    ),
    lastChange: new Map(changes.map(({ reference, kind }) => [String(reference), String(kind)])),
    calls: new Set(calls.map(referenceOf)),
    cancelCalls: new Set(lines.filter(({ kind }) => kind === "cancel").map(referenceOf)),
    refused: new Set(lines.filter(isRejection).map(referenceOf)),
    ...readOperations(lines),
    unconfirmed: [...orderEvents(lines), ...moneyEvents(lines)].filter((eventId) => !confirmed.has(eventId)),
  };
}

function isRejection({ kind, outcome }: JournalLine): boolean {
  const isCall = moneyCalls.includes(String(kind));
  return isCall ? outcome === "refused" : kind === "capture-failed" || kind === "refund-failed";
}

/** The ids of the callbacks about orders, their cancels and disputes. */
function orderEvents(lines: readonly JournalLine[]): readonly string[] {
  return lines
    .filter(({ kind }) => [...stateChanges, ...cancelChanges, ...disputeChanges].includes(String(kind)))
    .map(({ providerDisputeId, providerOrderId, sequence }) => {
      return `${String(providerDisputeId ?? providerOrderId)}-${String(sequence)}`;
    });
}

/**
 * Omits a hold that follows the release of an earlier one, because only one hold at a time can exist and be released.
 */
function omitRepeatedHolds(lines: readonly JournalLine[]): readonly JournalLine[] {
  const everHeld = new Set<unknown>();
  const activeHolds = new Set<unknown>();
  return lines.filter(({ kind, reference }) => {
    if (kind === "closed") activeHolds.delete(reference);
    if (kind !== "authorized") return true;
    const isRepeated = everHeld.has(reference) && !activeHolds.has(reference);
    everHeld.add(reference);
    activeHolds.add(reference);
    return !isRepeated;
  });
}

function groupMovements(
  lines: readonly JournalLine[],
  kind: string,
  referenceField: string,
  amountField: string,
): ReadonlyMap<string, readonly Movement[]> {
  const byReference = new Map<string, Movement[]>();
  for (const line of lines.filter((each) => each["kind"] === kind)) {
    const reference = String(line[referenceField]);
    byReference.set(reference, [...(byReference.get(reference) ?? []), toMovement(line, amountField)]);
  }
  return byReference;
}

function toMovement(line: JournalLine, amountField: string): Movement {
  const amount = (line[amountField] ?? line["amount"]) as {
    readonly currency: string;
    readonly value: string;
  };
  return { paymentId: String(line["paymentId"]), currency: amount.currency, minor: BigInt(amount.value) };
}
