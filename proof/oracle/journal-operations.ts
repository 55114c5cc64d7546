export type JournalLine = Readonly<Record<string, unknown>>;

/** The kinds of operations that a provider does not end at once, or ends twice. A storm must contain each. */
const asynchronousKinds = [
  "capture done later",
  "capture failed later",
  "captures in parts, one failed",
  "refund done later",
  "refund failed later",
  "refund failed after done",
  "cancel done later",
  "cancel failed later",
  "hold lapsed",
  "direct debit returned",
] as const;

type AsynchronousKind = (typeof asynchronousKinds)[number];

/** The end of an accepted capture or refund → its kind, if the operation took time. */
const endKinds: Readonly<Record<string, AsynchronousKind>> = {
  captured: "capture done later",
  "capture-failed": "capture failed later",
  refunded: "refund done later",
  "refund-failed": "refund failed later",
};

/** Changes of an order that end its cancel: it is done with "closed", and failed with the others. */
const cancelEnds = ["closed", "cancel-failed", "paid", "declined", "lapsed"];

export interface PendingOperation {
  readonly kind: "capture" | "refund" | "cancel";
  readonly paymentId: string;
  /** Whether only the control interface of the provider ends it. */
  readonly isEndless: boolean;
}

/** The operations of a journal that the provider did not end at once, or ended twice. */
export interface JournalOperations {
  /** Captures, refunds and cancels that the provider has not ended; the key of a cancel is its order's reference. */
  readonly pending: ReadonlyMap<string, PendingOperation>;
  /** References of orders whose hold lapsed. */
  readonly lapsed: ReadonlySet<string>;
  /** References of captures that the provider accepted after the hold of their order had lapsed. */
  readonly capturedLate: readonly string[];
  /** How often each kind of asynchronous operation happened. */
  readonly operations: Readonly<Record<AsynchronousKind, number>>;
}

/** `readOperations` follows captures, refunds, cancels and holds from their start to their end. */
export function readOperations(lines: readonly JournalLine[]): JournalOperations {
  const counts = new Map<AsynchronousKind, number>(asynchronousKinds.map((kind) => [kind, 0]));
  const add = (kind: AsynchronousKind, count = 1): void =>
    void counts.set(kind, (counts.get(kind) ?? 0) + count);
  /** The provider's id of a capture, refund or order → its operation in progress, with the reference. */
  const open = new Map<string, readonly [reference: string, PendingOperation]>();
  const lapsed = new Set<string>();
  const capturedLate: string[] = [];
  for (const line of lines) {
    const { kind, outcome, reference, providerOrderId, captureReference } = line;
    const endKind = endKinds[String(kind)];
    const started = startedMoney(line);
    if (started) open.set(moneyIdOf(started), [moneyReferenceOf(line), toPending(line, started)]);
    if (kind === "cancel-started")
      open.set(String(providerOrderId), [String(reference), toPending(line, line)]);
    if (endKind && line["isReversal"] === true) add("refund failed after done");
    else if (endKind && open.delete(moneyIdOf(line))) add(endKind);
    if (cancelEnds.includes(String(kind)) && open.delete(String(providerOrderId))) {
      add(kind === "closed" ? "cancel done later" : "cancel failed later");
    }
    if (kind === "lapsed") lapsed.add(String(reference));
    const isAccepted = outcome === "done" || outcome === "started";
    if (kind === "capture" && isAccepted && lapsed.has(String(reference)))
      capturedLate.push(String(captureReference));
    if (kind === "dispute-opened" && line["judgedResult"] !== undefined) add("direct debit returned");
  }
  add("hold lapsed", lapsed.size);
  add("captures in parts, one failed", countPartlyFailed(lines));
  const operations = Object.fromEntries(counts) as Record<AsynchronousKind, number>;
  return { pending: new Map(open.values()), lapsed, capturedLate, operations };
}

/**
 * `moneyEvents` returns the ids of the callbacks about captures and refunds: one for each change that the response to
 * the request did not report.
 */
export function moneyEvents(lines: readonly JournalLine[]): readonly string[] {
  const sequences = new Map<string, number>();
  const eventIds: string[] = [];
  for (const line of lines) {
    const change = startedMoney(line) ?? (endKinds[String(line["kind"])] && line);
    if (!change) continue;
    const id = moneyIdOf(change);
    const sequence = (sequences.get(id) ?? 0) + 1;
    sequences.set(id, sequence);
    if (sequence > 1) eventIds.push(`${id}-${sequence}`);
  }
  return eventIds;
}

/** The capture or refund that a call started and did not end. */
function startedMoney({ capture, refund }: JournalLine): JournalLine | undefined {
  return (capture ?? refund) as JournalLine | undefined;
}

function toPending({ kind }: JournalLine, { paymentId, finishTime }: JournalLine): PendingOperation {
  const operation = kind === "capture" || kind === "refund" ? kind : "cancel";
  return { kind: operation, paymentId: String(paymentId), isEndless: finishTime === undefined };
}

function moneyIdOf({ providerCaptureId, providerRefundId }: JournalLine): string {
  return String(providerCaptureId ?? providerRefundId);
}

function moneyReferenceOf({ captureReference, refundReference }: JournalLine): string {
  return String(captureReference ?? refundReference);
}

function countPartlyFailed(lines: readonly JournalLine[]): number {
  const paymentsOf = (wanted: string): ReadonlySet<unknown> =>
    new Set(lines.filter(({ kind }) => kind === wanted).map(({ paymentId }) => paymentId));
  const captured = paymentsOf("captured");
  return [...paymentsOf("capture-failed")].filter((paymentId) => captured.has(paymentId)).length;
}
