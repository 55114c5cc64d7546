import type { DisputeRow, PartRow, PaymentRow } from "./evidence.ts";
import { finding, type Case, type Finding } from "./finding.ts";
import type { Truth } from "./truth.ts";

/** I1: an order is opened, paid, captured or refunded at most once for each reference. */
export function effectsHappenedOnce({ truth }: Case): Finding[] {
  const openedTwice = [...truth.openings].filter(([, times]) => times > 1);
  const twice = (what: string, all: Truth["paid"]): Finding[] =>
    [...all]
      .filter(([, movements]) => movements.length > 1)
      .map(([reference, movements]) =>
        finding("doubled", `${what} ${movements.length} times`, reference, movements[0]?.paymentId ?? ""),
      );
  return [
    ...openedTwice.map(([paymentId, times]) => finding("doubled", `opened ${times} times`, paymentId)),
    ...twice("paid", truth.paid),
    ...twice("authorized", truth.authorized),
    ...twice("captured", truth.captured),
    ...twice("refunded", truth.refunded),
    ...twice("disputed", truth.disputed),
  ];
}

/**
 * I1 in the other direction: every success in the database happened at the provider, and every effect at the provider
 * is in the database.
 */
export function effectsAreExplained({ evidence, truth }: Case): Finding[] {
  const { payments, refunds, captures, reversals } = evidence;
  const held = new Set(payments.filter(({ isManual }) => isManual).map(({ paymentId }) => paymentId));
  // For a payment with an authorization hold, the provider releases the hold instead of a refund.
  const returned = reversals.filter(({ paymentId }) => !held.has(paymentId));
  // A reversal that the provider rejected counts as done here, because an operator must handle it.
  const reversed = new Set(
    reversals
      .filter(({ status, reference }) => status === "SUCCESS" || isLeftToPeople(status, reference, truth))
      .map(({ paymentId }) => paymentId),
  );
  return [
    ...payments.flatMap((payment) => paymentIsExplained(payment, truth, reversed)),
    ...partsAreExplained("captured", captures, truth.captured),
    ...partsAreExplained("refunded", [...refunds, ...returned], truth.refunded),
    ...disputesAreExplained(evidence.disputes, truth.disputed),
  ];
}

/**
 * Returns true if an operator must handle the record: the provider rejected it, or a provider that must not be retried
 * never received it.
 */
function isLeftToPeople(status: string, reference: string, { refused, calls }: Truth): boolean {
  return status === "FAIL" && (refused.has(reference) || !calls.has(reference));
}

function paymentIsExplained(payment: PaymentRow, truth: Truth, reversed: ReadonlySet<string>): Finding[] {
  const { paymentId, reference, status, isManual } = payment;
  if (reference === undefined) return [];
  const isTaken = (isManual ? truth.authorized : truth.paid).has(reference);
  if (status === "SUCCESS" && !isTaken)
    return [finding("lost", "is SUCCESS, but the provider was never paid", paymentId, reference)];
  if (status !== "FAIL" && status !== "CANCELLED") return [];
  if (isManual && truth.lastChange.get(reference) === "authorized")
    return [finding("unbalanced", `is ${status}, but the buyer's money is still held`, paymentId, reference)];
  if (!isManual && isTaken && !reversed.has(paymentId))
    return [finding("unbalanced", `is ${status}, but the buyer has paid`, paymentId, reference)];
  return [];
}

function partsAreExplained(what: string, rows: readonly PartRow[], done: Truth["paid"]): Finding[] {
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const missing = rows
    .filter(({ status, reference }) => status === "SUCCESS" && !done.has(reference))
    .map(({ id, reference }) =>
      finding("lost", `is SUCCESS, but the provider has never ${what} it`, id, reference),
    );
  const unexplained = [...done.keys()]
    .filter((reference) => byReference.get(reference)?.status !== "SUCCESS")
    .map((reference) => {
      const row = byReference.get(reference);
      const stands = row ? `is ${row.status} here` : "is not known here";
      return finding("unbalanced", `${what} by the provider, but ${stands}`, reference, row?.id ?? "");
    });
  const others = rows.flatMap(({ id, status, reference, minor }) => {
    const [first, ...more] = done.get(reference) ?? [];
    // A duplicate movement is reported only as doubled, and not here as unbalanced.
    if (status !== "SUCCESS" || !first || more.length > 0 || first.minor === minor) return [];
    return [
      finding("unbalanced", `${what} ${first.minor} by the provider, and ${minor} here`, reference, id),
    ];
  });
  return [...missing, ...unexplained, ...others];
}

/** The debit of a dispute equals the amount that the provider took for it. */
function disputesAreExplained(rows: readonly DisputeRow[], taken: Truth["disputed"]): Finding[] {
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const takenFor = (reference: string): bigint =>
    (taken.get(reference) ?? []).reduce((sum, { minor }) => sum + minor, 0n);
  return [...new Set([...byReference.keys(), ...taken.keys()])]
    .filter((reference) => (byReference.get(reference)?.debitedMinor ?? 0n) !== takenFor(reference))
    .map((reference) => {
      const debitedMinor = byReference.get(reference)?.debitedMinor ?? 0n;
      const what = `debited ${debitedMinor} for a dispute, and the provider took ${takenFor(reference)}`;
      return finding("unbalanced", what, reference, byReference.get(reference)?.id ?? "");
    });
}
