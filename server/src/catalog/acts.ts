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
import { notifications } from "./notifications.ts";
import { sendTestNotification } from "../notifications/send-test-notification.ts";
import { cancelPayment } from "../payments/cancel-payment.ts";
import type { Permission } from "../people/role.ts";
import { refundPayment } from "../refunds/refund-payment.ts";
import { advanceClock } from "../test-clocks/advance-clock.ts";
import type { Operation } from "../contract/operation.ts";

/** An operation that a person may run in the portal. */
export interface Act {
  /** The operation's own name, which is the path of the act below `/console/acts/`. */
  readonly name: string;
  readonly operation: Operation;
  readonly permission: Permission;
  /**
   * The fields of the request that contain the id of the record, for the audit log. The first field that is present
   * counts. If none is, the subject is the merchant.
   */
  readonly subjectFields: readonly string[];
  /** Whether merchants' systems may call the operation, too. */
  readonly isPublic: boolean;
  /** Whether the operation creates the client that the token names, so that the client need not exist. */
  readonly createsClient: boolean;
}

/**
 * Every change that a person can make in the portal. Money moves only by the operations that merchants' systems call.
 * Operations for clients and keys are only for people: otherwise an attacker with a stolen key could register another
 * key. A test webhook is only for people, because merchants' systems receive real webhooks.
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
  { ...act(sendTestNotification(notifications), "sandbox.steer", []), isPublic: false },
  { ...act(openClient, "clients.open", []), isPublic: false, createsClient: true },
  { ...act(addKey, "keys.change", []), isPublic: false },
  { ...act(revokeKey, "keys.change", []), isPublic: false },
];

function act(
  operationValue: { readonly path: string },
  permission: Permission,
  subjectFields: readonly string[],
): Act {
  // Erases the types: operations differ in shape, and each request is validated by the operation's own schema.
  const operation = operationValue as unknown as Operation;
  const name = operation.path.split("/")[1] ?? "";
  return { name, operation, permission, subjectFields, isPublic: true, createsClient: false };
}
