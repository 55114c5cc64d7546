import { authorizationLifecycle } from "../authorizations/authorization.ts";
import { tokenLifecycle } from "../authorizations/token.ts";
import { captureLifecycle } from "../captures/capture.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import { disputeLifecycle } from "../disputes/dispute.ts";
import { notificationLifecycle } from "../notifications/notification.ts";
import { paymentLifecycle } from "../payments/payment.ts";
import { reversalLifecycle } from "../payments/reversal.ts";
import { refundLifecycle } from "../refunds/refund.ts";
import { registrationLifecycle } from "../registrations/registration.ts";
import { batchLifecycle } from "../settlement/batch.ts";
import { payoutFileLifecycle } from "../settlement/payout-file.ts";
import { payoutLifecycle } from "../settlement/payout.ts";

/** Every lifecycle by the name of its noun: the triggers, the diagrams and their tests are made from this list. */
export const lifecycles: Readonly<Record<string, Lifecycle<string>>> = {
  payment: paymentLifecycle,
  notification: notificationLifecycle,
  reversal: reversalLifecycle,
  capture: captureLifecycle,
  refund: refundLifecycle,
  registration: registrationLifecycle,
  authorization: authorizationLifecycle,
  token: tokenLifecycle,
  dispute: disputeLifecycle,
  settlement_batch: batchLifecycle,
  payout: payoutLifecycle,
  payout_file: payoutFileLifecycle,
};
