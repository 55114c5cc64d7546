import { finding, type Case, type Finding } from "./finding.ts";

/** I4: liveness. After all faults have ended, every record becomes final. */
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
      finding("stuck", "the provider's callback was never confirmed", eventId),
    ),
  ];
}

/** I5: at-least-once delivery. Every final state was sent to its merchant in a webhook with the gateway's signature. */
export function webhooksWereDelivered({ history, evidence }: Case): Finding[] {
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
  // A point of sale polls its refunds and disputes, and gets no webhooks.
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
        finding("lost", `is ${status}, and its merchant was not notified`, paymentId),
      ),
    ...parts
      .filter(({ status }) => status === "SUCCESS" || status === "FAIL")
      .filter(({ id, status }) => !toldParts.has(key(id, status === "SUCCESS" ? "S" : "F")))
      .map(({ id, what, status }) =>
        finding("lost", `${what} is ${status}, and its merchant was not notified`, id),
      ),
    ...evidence.disputes
      .filter(({ paymentId }) => !inStore.has(paymentId))
      .filter(({ id, status }) => !newsOf[status]?.every((news) => toldDisputes.has(key(id, news))))
      .map(({ id, status }) =>
        finding("lost", `dispute is ${status}, and its merchant was not notified`, id),
      ),
  ];
}

/** Status of a dispute → the webhooks that its merchant must have received. */
const newsOf: Readonly<Record<string, readonly string[]>> = {
  CREATED: ["DISPUTE_CREATED"],
  DEFENDED: ["DISPUTE_CREATED", "DEFENSE_SUPPLIED"],
  ACCEPTED: ["DISPUTE_CREATED", "DISPUTE_ACCEPTED"],
  CANCELLED: ["DISPUTE_CREATED", "DISPUTE_CANCELLED"],
  JUDGED: ["DISPUTE_CREATED", "DISPUTE_JUDGED"],
  RESOLVED: ["RDR_RESOLVED"],
};

/** I10 and I11: no process crashed, no response was HTTP 5xx or unsigned, no log line reports a bug. */
export function noProcessBroke({ history, ownEndings, suspiciousLines }: Case): Finding[] {
  return [
    ...ownEndings.map((ending) => finding("broken", "exited unexpectedly", ending)),
    ...suspiciousLines.map((line) => finding("broken", "the log reports a bug", line)),
    ...history.answers
      .filter(({ httpStatus }) => httpStatus >= 500)
      .map(({ httpStatus, requestId }) => finding("broken", `answered HTTP ${httpStatus}`, requestId)),
    ...history.answers
      .filter(({ id, isSigned }) => id !== undefined && !isSigned)
      .map(({ requestId }) => finding("broken", "answered without a valid signature", requestId)),
  ];
}
