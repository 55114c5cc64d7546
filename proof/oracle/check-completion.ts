import { newFinding, type OracleInput, type Finding } from "./finding.ts";

/**
 * I4: liveness. After all faults have ended, every record becomes final. A record that waits for its provider is not
 * stuck: the storm, which ends all operations at the providers, is then broken.
 */
export function findUnfinishedRecords({ databaseState, journal }: OracleInput): Finding[] {
  const { payments, refunds, captures, reversals, notifications } = databaseState;
  const openStatuses = ["PROCESSING", "PENDING", "WAITING"];
  return [
    ...payments
      .filter(({ status }) => openStatuses.includes(status))
      .map(({ paymentId, status }) => newFinding("stuck", `payment is ${status}`, paymentId)),
    ...[...journal.pending.keys()].map((reference) =>
      newFinding("broken", "the storm left an operation in progress at the provider", reference),
    ),
    ...[...refunds, ...captures, ...reversals]
      .filter(({ status, reference }) => openStatuses.includes(status) && !journal.pending.has(reference))
      .map(({ id, status, paymentId }) =>
        newFinding("stuck", `part of a payment is ${status}`, id, paymentId),
      ),
    ...notifications
      .filter(({ status }) => status !== "DELIVERED")
      .map(({ notificationId, status, subjectId }) =>
        newFinding("stuck", `notification is ${status}`, notificationId, subjectId),
      ),
    ...journal.unconfirmed.map((eventId) =>
      newFinding("stuck", "the provider's callback was never confirmed", eventId),
    ),
  ];
}

/** I5: at-least-once delivery. Every final state was sent to its merchant in a webhook with the gateway's signature. */
export function findMissingWebhooks({ history, databaseState }: OracleInput): Finding[] {
  const { notifications } = history;
  const key = (id: string | undefined, status: string): string => `${id ?? ""} ${status}`;
  const notified = new Set(
    notifications
      .filter(({ notifyType }) => notifyType === "PAYMENT_RESULT")
      .map(({ paymentId, resultStatus }) => key(paymentId, resultStatus)),
  );
  const notifiedOperations = new Set(
    notifications.map(({ refundId, captureId, resultStatus }) => key(refundId ?? captureId, resultStatus)),
  );
  const notifiedDisputes = new Set(
    notifications.map(({ disputeId, notifyType }) => key(disputeId, notifyType)),
  );
  // A point of sale polls its refunds and disputes, and gets no webhooks.
  const inStore = new Set(
    databaseState.payments.filter(({ isInStore }) => isInStore).map((row) => row.paymentId),
  );
  const operations = [
    ...databaseState.refunds
      .filter(({ paymentId }) => !inStore.has(paymentId))
      .map((row) => ({ ...row, recordKind: "refund" })),
    ...databaseState.captures.map((row) => ({ ...row, recordKind: "capture" })),
  ];
  const unsigned = notifications.filter(({ isSigned }) => !isSigned);
  return [
    ...unsigned.map(({ paymentId, notifyType }) =>
      newFinding("broken", `${notifyType} without a valid signature`, paymentId ?? ""),
    ),
    ...databaseState.payments
      .filter(({ hasNotifyUrl, status, wasPaid }) => hasNotifyUrl && (status !== "CANCELLED" || wasPaid))
      .filter(({ paymentId, wasPaid }) => !notified.has(key(paymentId, wasPaid ? "S" : "F")))
      .map(({ paymentId, status }) =>
        newFinding("lost", `is ${status}, and its merchant was not notified`, paymentId),
      ),
    ...operations
      .filter(({ status }) => status === "SUCCESS" || status === "FAIL")
      .filter(({ id, status }) => !notifiedOperations.has(key(id, status === "SUCCESS" ? "S" : "F")))
      .map(({ id, recordKind, status }) =>
        newFinding("lost", `${recordKind} is ${status}, and its merchant was not notified`, id),
      ),
    ...databaseState.disputes
      .filter(({ paymentId }) => !inStore.has(paymentId))
      .filter(
        ({ id, status }) =>
          !disputeWebhooks[status]?.every((webhook) => notifiedDisputes.has(key(id, webhook))),
      )
      .map(({ id, status }) =>
        newFinding("lost", `dispute is ${status}, and its merchant was not notified`, id),
      ),
  ];
}

/** Status of a dispute → the webhooks that its merchant must have received. */
const disputeWebhooks: Readonly<Record<string, readonly string[]>> = {
  CREATED: ["DISPUTE_CREATED"],
  DEFENDED: ["DISPUTE_CREATED", "DEFENSE_SUPPLIED"],
  ACCEPTED: ["DISPUTE_CREATED", "DISPUTE_ACCEPTED"],
  CANCELLED: ["DISPUTE_CREATED", "DISPUTE_CANCELLED"],
  JUDGED: ["DISPUTE_CREATED", "DISPUTE_JUDGED"],
  RESOLVED: ["RDR_RESOLVED"],
};

/** I10 and I11: no process crashed, no response was HTTP 5xx or unsigned, no log line reports a bug. */
export function findProcessFailures({ history, unexpectedExits, suspiciousLines }: OracleInput): Finding[] {
  return [
    ...unexpectedExits.map((exit) => newFinding("broken", "exited unexpectedly", exit)),
    ...suspiciousLines.map((line) => newFinding("broken", "the log reports a bug", line)),
    ...history.answers
      .filter(({ httpStatus }) => httpStatus >= 500)
      .map(({ httpStatus, requestId }) => newFinding("broken", `answered HTTP ${httpStatus}`, requestId)),
    ...history.answers
      .filter(({ id, isSigned }) => id !== undefined && !isSigned)
      .map(({ requestId }) => newFinding("broken", "answered without a valid signature", requestId)),
  ];
}
