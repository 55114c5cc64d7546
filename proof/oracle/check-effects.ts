import type { DisputeRow, PaymentOperationRow, PaymentRow } from "./database-state.ts";
import { newFinding, type OracleInput, type Finding } from "./finding.ts";
import type { ProviderJournal } from "./provider-journal.ts";

/** I1: an order is opened, paid, captured or refunded at most once for each reference. */
export function findDuplicateEffects({ journal }: OracleInput): Finding[] {
  const openedTwice = [...journal.openings].filter(([, times]) => times > 1);
  const findRepeated = (description: string, movementsByReference: ProviderJournal["paid"]): Finding[] =>
    [...movementsByReference]
      .filter(([, movements]) => movements.length > 1)
      .map(([reference, movements]) =>
        newFinding(
          "doubled",
          `${description} ${movements.length} times`,
          reference,
          movements[0]?.paymentId ?? "",
        ),
      );
  return [
    ...openedTwice.map(([paymentId, times]) => newFinding("doubled", `opened ${times} times`, paymentId)),
    ...findRepeated("paid", journal.paid),
    ...findRepeated("authorized", journal.authorized),
    ...findRepeated("captured", journal.captured),
    ...findRepeated("refunded", journal.refunded),
    ...findRepeated("returned", journal.returned),
    ...findRepeated("disputed", journal.disputed),
  ];
}

/**
 * I1 in the other direction: every success in the database happened at the provider, and every effect at the provider
 * is in the database.
 */
export function findUnexplainedEffects({ databaseState, journal }: OracleInput): Finding[] {
  const { payments, refunds, captures, reversals } = databaseState;
  const authorizedPayments = new Set(
    payments.filter(({ isManual }) => isManual).map(({ paymentId }) => paymentId),
  );
  // For a payment with an authorization hold, the provider releases the hold instead of a refund.
  const refundedReversals = reversals.filter(({ paymentId }) => !authorizedPayments.has(paymentId));
  // A reversal that the provider rejected counts as done here, because an operator must handle it.
  const reversed = new Set(
    reversals
      .filter(({ status, reference }) => status === "SUCCESS" || needsOperator(status, reference, journal))
      .map(({ paymentId }) => paymentId),
  );
  return [
    ...payments.flatMap((payment) => checkPayment(payment, journal, reversed)),
    ...checkOperations("captured", captures, journal.captured, noReturns),
    ...checkOperations("refunded", [...refunds, ...refundedReversals], journal.refunded, journal.returned),
    ...checkDisputes(databaseState.disputes, journal.disputed),
  ];
}

/**
 * Returns true if an operator must handle the record: the provider rejected it, or a provider that must not be retried
 * never received it.
 */
function needsOperator(status: string, reference: string, { refused, calls }: ProviderJournal): boolean {
  return status === "FAIL" && (refused.has(reference) || !calls.has(reference));
}

function checkPayment(
  payment: PaymentRow,
  journal: ProviderJournal,
  reversed: ReadonlySet<string>,
): Finding[] {
  const { paymentId, reference, status, isManual } = payment;
  if (reference === undefined) return [];
  const isCharged = (isManual ? journal.authorized : journal.paid).has(reference);
  if (status === "SUCCESS" && !isCharged)
    return [newFinding("lost", "is SUCCESS, but the provider was never paid", paymentId, reference)];
  if (status !== "FAIL" && status !== "CANCELLED") return [];
  if (isManual && journal.lastChange.get(reference) === "authorized")
    return [
      newFinding("unbalanced", `is ${status}, but the buyer's money is still held`, paymentId, reference),
    ];
  if (!isManual && isCharged && !reversed.has(paymentId))
    return [newFinding("unbalanced", `is ${status}, but the buyer has paid`, paymentId, reference)];
  return [];
}

/** A capture that is done never fails. */
const noReturns: ProviderJournal["returned"] = new Map();

function checkOperations(
  description: string,
  rows: readonly PaymentOperationRow[],
  providerMovements: ProviderJournal["paid"],
  returned: ProviderJournal["returned"],
): Finding[] {
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const missing = rows
    .filter(({ status, reference }) => status === "SUCCESS" && !providerMovements.has(reference))
    .map(({ id, reference }) =>
      newFinding("lost", `is SUCCESS, but the provider has never ${description} it`, id, reference),
    );
  const unexplained = [...providerMovements.keys()]
    .filter((reference) => {
      // A refund whose money came back is FAIL. `findLateFailures` checks it.
      const expectedStatus = returned.has(reference) ? "FAIL" : "SUCCESS";
      return byReference.get(reference)?.status !== expectedStatus;
    })
    .map((reference) => {
      const row = byReference.get(reference);
      const localState = row ? `is ${row.status} here` : "is not known here";
      return newFinding(
        "unbalanced",
        `${description} by the provider, but ${localState}`,
        reference,
        row?.id ?? "",
      );
    });
  const wrongAmounts = rows.flatMap(({ id, status, reference, minor }) => {
    const [first, ...duplicates] = providerMovements.get(reference) ?? [];
    // A duplicate movement is reported only as doubled, and not here as unbalanced.
    if (status !== "SUCCESS" || !first || duplicates.length > 0 || first.minor === minor) return [];
    return [
      newFinding(
        "unbalanced",
        `${description} ${first.minor} by the provider, and ${minor} here`,
        reference,
        id,
      ),
    ];
  });
  return [...missing, ...unexplained, ...wrongAmounts];
}

/** The debit of a dispute equals the amount that the provider took for it. */
function checkDisputes(rows: readonly DisputeRow[], takenMovements: ProviderJournal["disputed"]): Finding[] {
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const takenMinor = (reference: string): bigint =>
    (takenMovements.get(reference) ?? []).reduce((sum, { minor }) => sum + minor, 0n);
  return [...new Set([...byReference.keys(), ...takenMovements.keys()])]
    .filter((reference) => (byReference.get(reference)?.debitedMinor ?? 0n) !== takenMinor(reference))
    .map((reference) => {
      const debitedMinor = byReference.get(reference)?.debitedMinor ?? 0n;
      const description = `debited ${debitedMinor} for a dispute, and the provider took ${takenMinor(reference)}`;
      return newFinding("unbalanced", description, reference, byReference.get(reference)?.id ?? "");
    });
}
