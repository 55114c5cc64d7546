import { capturePayment } from "../captures/capture-payment.ts";
import { acceptDispute } from "../disputes/accept-dispute.ts";
import { supplyDefenseDocument } from "../disputes/supply-defense-document.ts";
import { addKey } from "../keys/add-key.ts";
import { openClient } from "../keys/open-client.ts";
import { revokeKey } from "../keys/revoke-key.ts";
import { changeBrand } from "../merchants/change-brand.ts";
import { changeEndpoints } from "../notifications/change-endpoints.ts";
import { orderFault } from "../notifications/order-fault.ts";
import { resendNotifications } from "../notifications/resend-notifications.ts";
import { sendTestNotification } from "../notifications/send-test-notification.ts";
import { cancelPayment } from "../payments/cancel-payment.ts";
import type { Right } from "../people/role.ts";
import { refundPayment } from "../refunds/refund-payment.ts";
import { advanceClock } from "../test-clocks/advance-clock.ts";
import type { Operation } from "./operation.ts";

/** An operation that a person may call. */
export interface Act {
  /** Below `/console/acts/`: the operation's own name. */
  readonly name: string;
  readonly operation: Operation;
  readonly right: Right;
  /** The fields of the request that name the record, for the audit log; the first that is there counts. None: the merchant. */
  readonly about: readonly string[];
  /** Whether merchants' systems may call the operation, too. */
  readonly isPublic: boolean;
  /** Whether it makes the client that the token carries: then there need not be one. */
  readonly opensClient: boolean;
}

/**
 * Everything that a person can change here. There is no back door to money: what runs is the operation that merchants' systems call.
 * Clients and keys are for people alone, because somebody who has stolen a key could otherwise register another; a test notification,
 * because systems have real ones.
 */
export const acts: readonly Act[] = [
  act(refundPayment, "payments.refund", ["paymentId"]),
  act(cancelPayment, "payments.cancel", ["paymentId", "paymentRequestId"]),
  act(capturePayment, "payments.capture", ["paymentId"]),
  act(acceptDispute, "disputes.accept", ["disputeId"]),
  act(supplyDefenseDocument, "disputes.answer", ["disputeId"]),
  act(resendNotifications, "notifications.resend", ["notificationId", "subjectId"]),
  act(changeEndpoints, "endpoints.change", []),
  act(changeBrand, "brand.change", []),
  act(advanceClock, "sandbox.steer", []),
  act(orderFault, "sandbox.steer", []),
  { ...act(sendTestNotification, "sandbox.steer", []), isPublic: false },
  { ...act(openClient, "clients.open", []), isPublic: false, opensClient: true },
  { ...act(addKey, "keys.change", []), isPublic: false },
  { ...act(revokeKey, "keys.change", []), isPublic: false },
];

function act(declared: { readonly path: string }, right: Right, about: readonly string[]): Act {
  // Erases the types: operations differ in shape, and the edge validates each request by its own schema.
  const operation = declared as unknown as Operation;
  const name = operation.path.split("/")[1] ?? "";
  return { name, operation, right, about, isPublic: true, opensClient: false };
}
