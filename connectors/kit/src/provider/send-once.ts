import { createHash } from "node:crypto";
import { errorPlace } from "../error-place.ts";
import type { Context, FactsSheet, Found, Sent, UnknownOutcome } from "../connector.ts";

/** The stored facts about a message to the provider. */
export interface SendRecord {
  readonly reference: string;
  readonly firstSentAt: Date | null;
  readonly lastSentAt: Date | null;
  readonly keyNumber: number;
  readonly hasStoredError: boolean;
}

export interface SendOptions<Report> {
  readonly record: SendRecord;
  /** Deadline of this request of the gateway, in epoch milliseconds. */
  readonly notAfterMs: number | undefined;
  readonly facts: FactsSheet;
  readonly now: () => Date;
  readonly contextOf: (idempotencyKey: string) => Context;
  /** Commits that the message may have been sent, before it is sent. */
  markSent(keyNumber: number, now: Date): Promise<void>;
  send(context: Context): Promise<Sent<Report>>;
  /** Absent if the provider has no look-up. */
  readonly find: ((context: Context) => Promise<Found<Report>>) | undefined;
}

/** The outcome of `sendOnce`. `expired`: not sent, because its deadline has passed. `lost`: it never arrived. */
export type SendOutcome<Report> =
  | Sent<Report>
  | { readonly outcome: "expired" }
  | { readonly outcome: "lost" };

/** A repeat must arrive before the provider forgets the key. */
const windowMarginMs = 60_000;

/**
 * `sendOnce` sends a message so that it takes effect at most once. The caller has a lease, so no other process sends
 * the same message. After a lost answer it repeats the message under the same key while the provider recognises the key.
 * Outside of this window, and after an error that the provider stores under the key, it looks up first.
 */
export async function sendOnce<Report>(options: SendOptions<Report>): Promise<SendOutcome<Report>> {
  const { record, facts, now } = options;
  const { firstSentAt, lastSentAt, keyNumber, hasStoredError } = record;
  const nowMs = now().getTime();
  const isTooLate = options.notAfterMs !== undefined && nowMs > options.notAfterMs;
  if (!firstSentAt || !lastSentAt) {
    return isTooLate ? { outcome: "expired" } : sendWithKey(options, keyNumber);
  }
  const windowEndMs = firstSentAt.getTime() + facts.idempotencyWindowSeconds * 1000 - windowMarginMs;
  const isInWindow = nowMs < windowEndMs;
  if (isInWindow && !hasStoredError && !isTooLate) return sendWithKey(options, keyNumber);
  const found = await lookUp(options);
  if (found.outcome === "found") return { outcome: "reported", report: found.report };
  if (found.outcome === "unknown") return found;
  if (!isArrivalOver(record, facts, nowMs)) return { outcome: "unknown", reason: "not found yet" };
  // Another key is a new message, so it needs both: the earlier one never arrived, and this request may still act.
  return hasStoredError && isInWindow && !isTooLate
    ? sendWithKey(options, keyNumber + 1)
    : { outcome: "lost" };
}

async function sendWithKey<Report>(options: SendOptions<Report>, keyNumber: number): Promise<Sent<Report>> {
  await options.markSent(keyNumber, options.now());
  return ignoreThrown(() =>
    options.send(options.contextOf(idempotencyKey(options.record.reference, keyNumber))),
  );
}

/**
 * Whether "not found" is trusted: no message can be on its way to the provider any more, and its effect would be
 * visible.
 */
export function isArrivalOver({ lastSentAt }: SendRecord, facts: FactsSheet, nowMs: number): boolean {
  const delayMs = 1000 * Math.max(facts.quietSeconds, facts.lookupDelaySeconds);
  return lastSentAt === null || nowMs >= lastSentAt.getTime() + delayMs;
}

/** Looks up what became of a message, without sending it. */
export async function lookUp<Report>(
  options: Pick<SendOptions<Report>, "record" | "find" | "contextOf">,
): Promise<Found<Report>> {
  const { find, record, contextOf } = options;
  if (!find) return { outcome: "unknown", reason: "the provider has no look-up" };
  return ignoreThrown(() => find(contextOf(idempotencyKey(record.reference, record.keyNumber))));
}

/** An exception in the author's code after a send says nothing about the effect of the message. */
async function ignoreThrown<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | UnknownOutcome> {
  try {
    return await work();
  } catch (error) {
    return { outcome: "unknown", reason: errorPlace(error) };
  }
}

/** The idempotency key of a reference: constant, and different for each number. */
export function idempotencyKey(reference: string, keyNumber: number): string {
  return createHash("sha256").update(`${reference}\n${keyNumber}`).digest("hex").slice(0, 40);
}
