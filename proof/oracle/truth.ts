/** The index of the provider's own journal: the state of every order, and the movements of money. */
export interface Truth {
  /** Payment id → number of times that an order was opened. */
  readonly openings: ReadonlyMap<string, number>;
  /** Reference → movements of money; in `authorized`, authorization holds. */
  readonly paid: ReadonlyMap<string, readonly Movement[]>;
  readonly authorized: ReadonlyMap<string, readonly Movement[]>;
  readonly captured: ReadonlyMap<string, readonly Movement[]>;
  readonly refunded: ReadonlyMap<string, readonly Movement[]>;
  /** The provider's dispute id → amounts that the dispute took. */
  readonly disputed: ReadonlyMap<string, readonly Movement[]>;
  /** Reference → the last change of its order. */
  readonly lastChange: ReadonlyMap<string, string>;
  /** References for which a provider received any request to act. */
  readonly calls: ReadonlySet<string>;
  /** References that a provider rejected. */
  readonly refused: ReadonlySet<string>;
  /** Events that the gateway has not confirmed. */
  readonly unconfirmed: readonly string[];
}

export interface Movement {
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: bigint;
}

export type EffectLine = Readonly<Record<string, unknown>>;

const disputeChanges = ["dispute-opened", "dispute-changed"];
const stateChanges = ["pending", "authorized", "paid", "declined", "closed"];

const moneyCalls = ["submit", "capture", "refund"];

/** Returns the reference of the capture or refund; without one, that of the order. */
function referenceOf({ captureReference, refundReference, reference }: EffectLine): string {
  return String(captureReference ?? refundReference ?? reference);
}

export function readTruth(lines: readonly EffectLine[]): Truth {
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
    paid: movements(lines, "paid", "reference", "paidAmount"),
    authorized: movements(holdsIn(lines), "authorized", "reference", "paidAmount"),
    captured: movements(lines, "captured", "captureReference", "amount"),
    refunded: movements(lines, "refunded", "refundReference", "amount"),
    disputed: movements(
      lines
        .filter(({ takenAmount }) => takenAmount !== undefined)
        .map((line) => ({ ...line, kind: "taken" })),
      "taken",
      "walletDisputeId",
      "takenAmount",
    ),
    lastChange: new Map(changes.map(({ reference, kind }) => [String(reference), String(kind)])),
    calls: new Set(calls.map(referenceOf)),
    refused: new Set(calls.filter(({ outcome }) => outcome === "refused").map(referenceOf)),
    unconfirmed: lines
      .filter(({ kind }) => [...stateChanges, ...disputeChanges].includes(String(kind)))
      .map(({ walletDisputeId, walletOrderId, sequence }) => {
        return `${String(walletDisputeId ?? walletOrderId)}-${String(sequence)}`;
      })
      .filter((eventId) => !confirmed.has(eventId)),
  };
}

/**
 * Omits a hold that follows the release of an earlier one, because only one hold at a time can exist and be released.
 */
function holdsIn(lines: readonly EffectLine[]): readonly EffectLine[] {
  const seen = new Set<unknown>();
  const held = new Set<unknown>();
  return lines.filter(({ kind, reference }) => {
    if (kind === "closed") held.delete(reference);
    if (kind !== "authorized") return true;
    const isAgain = seen.has(reference) && !held.has(reference);
    seen.add(reference);
    held.add(reference);
    return !isAgain;
  });
}

function movements(
  lines: readonly EffectLine[],
  kind: string,
  referenceField: string,
  amountField: string,
): ReadonlyMap<string, readonly Movement[]> {
  const all = new Map<string, Movement[]>();
  for (const line of lines.filter((each) => each["kind"] === kind)) {
    const reference = String(line[referenceField]);
    all.set(reference, [...(all.get(reference) ?? []), movementOf(line, amountField)]);
  }
  return all;
}

function movementOf(line: EffectLine, amountField: string): Movement {
  const amount = (line[amountField] ?? line["amount"]) as {
    readonly currency: string;
    readonly value: string;
  };
  return { paymentId: String(line["paymentId"]), currency: amount.currency, minor: BigInt(amount.value) };
}
