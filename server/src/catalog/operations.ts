import { applyToken } from "../authorizations/apply-token.ts";
import { consultAuthorization } from "../authorizations/consult-authorization.ts";
import { queryToken } from "../authorizations/query-token.ts";
import { revokeAuthorization } from "../authorizations/revoke-authorization.ts";
import { capturePayment } from "../captures/capture-payment.ts";
import { advanceClock } from "../test-clocks/advance-clock.ts";
import { acceptDispute } from "../disputes/accept-dispute.ts";
import { downloadDisputeEvidence } from "../disputes/download-dispute-evidence.ts";
import { supplyDefenseDocument } from "../disputes/supply-defense-document.ts";
import { inquireBalance } from "../ledger/inquire-balance.ts";
import { inquireStatements } from "../ledger/inquire-statements.ts";
import { inquireKeyUse } from "../keys/inquire-key-use.ts";
import { useGatewayKey } from "../keys/use-gateway-key.ts";
import { inquireRequests } from "../merchants/inquire-requests.ts";
import { changeBrand } from "../merchants/change-brand.ts";
import { changeEndpoints } from "../notifications/change-endpoints.ts";
import { inquireEvents } from "../notifications/inquire-events.ts";
import { inquireNotifications } from "../notifications/inquire-notifications.ts";
import { orderFault } from "../notifications/order-fault.ts";
import { resendNotifications } from "../notifications/resend-notifications.ts";
import { inquireOpenRecords } from "../open-records/inquire-open-records.ts";
import { cancelPayment } from "../payments/cancel-payment.ts";
import { consultPayment } from "../payments/consult-payment.ts";
import { createSession } from "../sessions/create-session.ts";
import { inquirePayment } from "../payments/inquire-payment.ts";
import { pay } from "../payments/pay.ts";
import { retrieveSession } from "../sessions/retrieve-session.ts";
import { inquireRefund } from "../refunds/inquire-refund.ts";
import { refundPayment } from "../refunds/refund-payment.ts";
import { inquireRegistrationInfo } from "../registrations/inquire-registration-info.ts";
import { inquireRegistrationStatus } from "../registrations/inquire-registration-status.ts";
import { registerMerchant } from "../registrations/register-merchant.ts";
import { inquireSettlements } from "../settlement/inquire-settlements.ts";
import type { Operation } from "../contract/operation.ts";

/** All operations of the API. Routes, documents and client libraries are derived from this list. */
export const operations: readonly Operation[] = [
  pay,
  inquirePayment,
  cancelPayment,
  capturePayment,
  refundPayment,
  inquireRefund,
  consultPayment,
  createSession,
  retrieveSession,
  acceptDispute,
  supplyDefenseDocument,
  downloadDisputeEvidence,
  consultAuthorization,
  applyToken,
  queryToken,
  revokeAuthorization,
  registerMerchant,
  inquireRegistrationStatus,
  inquireRegistrationInfo,
  inquireBalance,
  inquireStatements,
  inquireSettlements,
  inquireOpenRecords,
  inquireEvents,
  inquireNotifications,
  resendNotifications,
  changeEndpoints,
  changeBrand,
  advanceClock,
  orderFault,
  inquireKeyUse,
  useGatewayKey,
  inquireRequests,
].map(anyOperation);

/** Erases the types: operations differ in shape, and each request is validated by the operation's own schema. */
function anyOperation(operation: object): Operation {
  return operation as Operation;
}
