import { capturePayment } from "../captures/capture-payment.ts";
import { acceptDispute } from "../disputes/accept-dispute.ts";
import { supplyDefenseDocument } from "../disputes/supply-defense-document.ts";
import { resendNotifications } from "../notifications/resend-notifications.ts";
import { cancelPayment } from "../payments/cancel-payment.ts";
import type { Right } from "../people/role.ts";
import { refundPayment } from "../refunds/refund-payment.ts";
import type { Operation } from "./operation.ts";

/** An operation of the public API that a person may call as well. */
export interface Act {
  /** Below `/console/acts/`: the operation's own name. */
  readonly name: string;
  readonly operation: Operation;
  readonly right: Right;
  /** The fields of the request that name the record, for the audit log; the first that is there counts. */
  readonly about: readonly string[];
}

/** Everything that a person can change here. There is no back door: what runs is the operation that merchants' systems call. */
export const acts: readonly Act[] = [
  act(refundPayment, "payments.refund", ["paymentId"]),
  act(cancelPayment, "payments.cancel", ["paymentId", "paymentRequestId"]),
  act(capturePayment, "payments.capture", ["paymentId"]),
  act(acceptDispute, "disputes.accept", ["disputeId"]),
  act(supplyDefenseDocument, "disputes.answer", ["disputeId"]),
  act(resendNotifications, "notifications.resend", ["notificationId", "subjectId"]),
];

function act(declared: { readonly path: string }, right: Right, about: readonly string[]): Act {
  // Erases the types: operations differ in shape, and the edge validates each request by its own schema.
  const operation = declared as unknown as Operation;
  return { name: operation.path.split("/")[1] ?? "", operation, right, about };
}
