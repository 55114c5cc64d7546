import type { DatabaseState, PaymentOperationRow, TransferRow } from "./database-state.ts";
import { newFinding, type Finding, type OracleInput } from "./finding.ts";

/**
 * I12: what fails late. A refund or reversal that fails after it was done is reversed exactly once, a failed capture
 * posts nothing, and a lapsed hold is not captured.
 */
export function findLateFailures(input: OracleInput): Finding[] {
  const transfers = Map.groupBy(input.databaseState.transfers, ({ subjectId }) => subjectId);
  return [
    ...findIgnoredReturns(input),
    ...findWrongReversalPostings(input.databaseState, transfers),
    ...findUnorderedWebhooks(input),
    ...findUnalertedReversals(input),
    ...findFalseAlerts(input),
    ...findPostedFailures(input.databaseState, transfers),
    ...findCapturesOfLapsedHolds(input),
  ];
}

type TransfersBySubject = ReadonlyMap<string, readonly TransferRow[]>;

const reversalEffect = "refund reversal";

function wasReversed({ reversedAtMs }: PaymentOperationRow): boolean {
  return reversedAtMs < Infinity;
}

/** Money that came back to the provider makes its refund or reversal FAIL, and nothing else is recorded as returned. */
function findIgnoredReturns({ databaseState, journal }: OracleInput): Finding[] {
  const rows = [...databaseState.refunds, ...databaseState.reversals];
  const ignored = rows.filter(
    ({ reference, status }) => journal.returned.has(reference) && status !== "FAIL",
  );
  const invented = rows.filter((row) => wasReversed(row) && !journal.returned.has(row.reference));
  return [
    ...ignored.map(({ id, reference, status }) =>
      newFinding(
        "unbalanced",
        `failed at the provider after it was done, and is ${status} here`,
        id,
        reference,
      ),
    ),
    ...invented.map(({ id, reference }) =>
      newFinding("unbalanced", "is reversed here, and did not fail at the provider", id, reference),
    ),
  ];
}

/**
 * A refund that failed after it succeeded posts the reverse of its own posting, exactly once. Money of a returned
 * reversal is in suspense.
 */
function findWrongReversalPostings(
  { refunds, reversals }: DatabaseState,
  transfers: TransfersBySubject,
): Finding[] {
  const expectedOf = (row: PaymentOperationRow): readonly string[] =>
    (transfers.get(row.id) ?? [])
      .filter(({ effect }) => effect === "refund")
      .map(({ debit, credit, currency, minor }) => `${credit} > ${debit} ${currency} ${minor}`);
  const actualOf = ({ id }: PaymentOperationRow): readonly TransferRow[] =>
    (transfers.get(id) ?? []).filter(({ effect }) => effect === reversalEffect);
  const wrongRefunds = refunds.flatMap((row) => {
    const expected = wasReversed(row) ? expectedOf(row) : [];
    const actual = actualOf(row).map(
      ({ debit, credit, currency, minor }) => `${debit} > ${credit} ${currency} ${minor}`,
    );
    return describeDifference(row, expected, actual);
  });
  const wrongReversals = reversals.flatMap((row) => {
    const expected = wasReversed(row) ? [`suspense ${row.currency} ${row.minor}`] : [];
    const actual = actualOf(row).map(({ credit, currency, minor }) => `${credit} ${currency} ${minor}`);
    return describeDifference(row, expected, actual);
  });
  return [...wrongRefunds, ...wrongReversals];
}

function describeDifference(
  { id, paymentId }: PaymentOperationRow,
  expected: readonly string[],
  actual: readonly string[],
): Finding[] {
  if (expected.toSorted().join() === actual.toSorted().join()) return [];
  const description = `its refund reversal posts [${actual.join(", ")}], and should post [${expected.join(", ")}]`;
  return [newFinding("unbalanced", description, id, paymentId)];
}

/** The merchant of a refund that failed after it succeeded gets both results, the failure with the higher sequence. */
function findUnorderedWebhooks({ history, databaseState }: OracleInput): Finding[] {
  const inStore = new Set(
    databaseState.payments.filter(({ isInStore }) => isInStore).map(({ paymentId }) => paymentId),
  );
  const webhooks = Map.groupBy(history.notifications, ({ refundId }) => refundId);
  return databaseState.refunds
    .filter((row) => wasReversed(row) && !inStore.has(row.paymentId))
    .filter(({ id }) => {
      const sequencesOf = (result: string): readonly number[] =>
        (webhooks.get(id) ?? [])
          .filter(({ resultStatus }) => resultStatus === result)
          .map(({ sequence }) => sequence ?? 0);
      const [successes, failures] = [sequencesOf("S"), sequencesOf("F")];
      const isOrdered = Math.min(...failures) > Math.max(...successes);
      return successes.length === 0 || failures.length === 0 || !isOrdered;
    })
    .map(({ id, paymentId }) =>
      newFinding(
        "lost",
        "failed after it succeeded, and its merchant was not notified in order",
        id,
        paymentId,
      ),
    );
}

/** An operator decides about money of a returned reversal, because its payment is final without this money. */
function findUnalertedReversals({ databaseState, alerts }: OracleInput): Finding[] {
  if (alerts === undefined) return [];
  return databaseState.reversals
    .filter(wasReversed)
    .filter(
      ({ paymentId }) => !alerts.some((line) => line.includes(paymentId) && line.includes("in suspense")),
    )
    .map(({ id, paymentId }) =>
      newFinding("lost", "returned money is in suspense, and no operator was alerted", id, paymentId),
    );
}

/** The provider's inquiries lag for seconds, so they confirm each failure of a refund before the gateway alerts. */
function findFalseAlerts({ alerts = [] }: OracleInput): Finding[] {
  return alerts
    .filter((line) => line.includes("do not confirm its callback that a refund failed"))
    .map((line) => newFinding("broken", "an operator was alerted about a refund that did not fail", line));
}

function findPostedFailures({ captures }: DatabaseState, transfers: TransfersBySubject): Finding[] {
  return captures
    .filter(({ id, status }) => status === "FAIL" && transfers.has(id))
    .map(({ id, paymentId }) => newFinding("unbalanced", "capture is FAIL, and is posted", id, paymentId));
}

/** After a hold has lapsed, neither the provider nor the gateway accepts a capture of it. */
function findCapturesOfLapsedHolds({ history, databaseState, journal }: OracleInput): Finding[] {
  const { payments, captures } = databaseState;
  const key = (clientId: string, requestId: string): string => `${clientId} ${requestId}`;
  const late = new Set(history.lateCaptures.map(({ clientId, requestId }) => key(clientId, requestId)));
  return [
    ...journal.capturedLate.map((reference) =>
      newFinding("unbalanced", "the provider accepted a capture of a lapsed hold", reference),
    ),
    ...captures
      .filter(({ clientId, requestId }) => late.has(key(clientId, requestId)))
      .map(({ id, paymentId }) =>
        newFinding("unbalanced", "the gateway accepted a capture of a lapsed hold", id, paymentId),
      ),
    ...payments
      .filter(
        ({ status, reference, releasedAtMs }) =>
          status === "SUCCESS" && releasedAtMs === Infinity && journal.lapsed.has(reference ?? ""),
      )
      .map(({ paymentId }) => newFinding("lost", "its hold lapsed, and can be captured here", paymentId)),
  ];
}
