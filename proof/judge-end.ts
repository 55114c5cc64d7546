import { finding, type Case, type Finding } from "./finding.ts";

/** I4: liveness. When all faults have healed, every record becomes final. */
export function everythingIsFinal({ evidence, truth }: Case): Finding[] {
  const { payments, refunds, captures, reversals, notifications } = evidence;
  const open = ["PROCESSING", "PENDING", "WAITING"];
  return [
    ...payments
      .filter(({ status }) => open.includes(status))
      .map(({ paymentId, status }) => finding("stuck", `payment is ${status}`, paymentId)),
    ...[...refunds, ...captures, ...reversals]
      .filter(({ status }) => open.includes(status))
      .map(({ id, status, paymentId }) => finding("stuck", `part of a payment is ${status}`, id, paymentId)),
    ...notifications
      .filter(({ status }) => status !== "DELIVERED")
      .map(({ notificationId, status, subjectId }) =>
        finding("stuck", `notification is ${status}`, notificationId, subjectId),
      ),
    ...truth.unconfirmed.map((eventId) =>
      finding("stuck", "the wallet's callback was never confirmed", eventId),
    ),
  ];
}

/**
 * I5: at-least-once delivery. Every final state was notified to its merchant, under the gateway's signature.
 */
export function merchantsWereTold({ history, evidence }: Case): Finding[] {
  const { notifications } = history;
  const key = (id: string | undefined, status: string): string => `${id ?? ""} ${status}`;
  const told = new Set(
    notifications
      .filter(({ notifyType }) => notifyType === "PAYMENT_RESULT")
      .map(({ paymentId, resultStatus }) => key(paymentId, resultStatus)),
  );
  const toldParts = new Set(
    notifications.map(({ refundId, captureId, resultStatus }) => key(refundId ?? captureId, resultStatus)),
  );
  const toldDisputes = new Set(notifications.map(({ disputeId, notifyType }) => key(disputeId, notifyType)));
  // A till polls its refunds and disputes, and is not notified.
  const inStore = new Set(evidence.payments.filter(({ isInStore }) => isInStore).map((row) => row.paymentId));
  const parts = [
    ...evidence.refunds
      .filter(({ paymentId }) => !inStore.has(paymentId))
      .map((row) => ({ ...row, what: "refund" })),
    ...evidence.captures.map((row) => ({ ...row, what: "capture" })),
  ];
  const forged = notifications.filter(({ isSigned }) => !isSigned);
  return [
    ...forged.map(({ paymentId, notifyType }) =>
      finding("broken", `${notifyType} without a valid signature`, paymentId ?? ""),
    ),
    ...evidence.payments
      .filter(({ isToBeTold, status, wasPaid }) => isToBeTold && (status !== "CANCELLED" || wasPaid))
      .filter(({ paymentId, wasPaid }) => !told.has(key(paymentId, wasPaid ? "S" : "F")))
      .map(({ paymentId, status }) =>
        finding("lost", `is ${status}, and its merchant was not told`, paymentId),
      ),
    ...parts
      .filter(({ status }) => status === "SUCCESS" || status === "FAIL")
      .filter(({ id, status }) => !toldParts.has(key(id, status === "SUCCESS" ? "S" : "F")))
      .map(({ id, what, status }) =>
        finding("lost", `${what} is ${status}, and its merchant was not told`, id),
      ),
    ...evidence.disputes
      .filter(({ paymentId }) => !inStore.has(paymentId))
      .filter(({ id, status }) => !newsOf[status]?.every((news) => toldDisputes.has(key(id, news))))
      .map(({ id, status }) => finding("lost", `dispute is ${status}, and its merchant was not told`, id)),
  ];
}

/** Status of a dispute → the notifications that its merchant must have received. */
const newsOf: Readonly<Record<string, readonly string[]>> = {
  CREATED: ["DISPUTE_CREATED"],
  DEFENDED: ["DISPUTE_CREATED", "DEFENSE_SUPPLIED"],
  ACCEPTED: ["DISPUTE_CREATED", "DISPUTE_ACCEPTED"],
  CANCELLED: ["DISPUTE_CREATED", "DISPUTE_CANCELLED"],
  JUDGED: ["DISPUTE_CREATED", "DISPUTE_JUDGED"],
  RESOLVED: ["RDR_RESOLVED"],
};

/** I10 and I11: no process crashed, no answer was HTTP 5xx or unsigned, no log line tells of a bug. */
export function processesHeld({ history, ownEndings, suspiciousLines }: Case): Finding[] {
  return [
    ...ownEndings.map((ending) => finding("broken", "ended by itself", ending)),
    ...suspiciousLines.map((line) => finding("broken", "the log speaks of a bug", line)),
    ...history.answers
      .filter(({ httpStatus }) => httpStatus >= 500)
      .map(({ httpStatus, requestId }) => finding("broken", `answered HTTP ${httpStatus}`, requestId)),
    ...history.answers
      .filter(({ id, isSigned }) => id !== undefined && !isSigned)
      .map(({ requestId }) => finding("broken", "answered without a valid signature", requestId)),
  ];
}
