import { authorizationLifecycle } from "../authorizations/authorization.ts";
import { tokenLifecycle } from "../authorizations/token.ts";
import { captureLifecycle } from "../captures/capture.ts";
import type { Lifecycle, TransitionCauses } from "../core/lifecycle.ts";
import { disputeLifecycle } from "../disputes/dispute.ts";
import { notificationLifecycle } from "../notifications/notification.ts";
import { paymentLifecycle } from "../payments/payment.ts";
import { reversalLifecycle } from "../payments/reversals/reversal.ts";
import { refundLifecycle } from "../refunds/refund.ts";
import { registrationLifecycle } from "../registrations/registration.ts";
import { batchLifecycle } from "../settlement/batch.ts";
import { payoutFileLifecycle } from "../settlement/payouts/payout-file.ts";
import { payoutLifecycle } from "../settlement/payouts/payout.ts";

/** Every lifecycle by its noun. Triggers, diagrams and their tests are generated from this list. */
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

/**
 * Causes of transitions out of a status that is otherwise final, by noun and `FROM TO`. The diagrams and the page about
 * final statuses show them.
 */
export const transitionCauses: Readonly<Record<string, TransitionCauses>> = {
  payment: { "SUCCESS CANCELLED": "the merchant cancels it" },
  notification: {
    "DELIVERED WAITING": "the merchant resends it",
    "EXHAUSTED WAITING": "the merchant resends it",
    "UNSENT WAITING": "the merchant resends it",
  },
  refund: { "SUCCESS FAIL": "the buyer's bank returns the money" },
  reversal: { "SUCCESS FAIL": "the buyer's bank returns the money" },
  settlement_batch: { "PAID DUE": "the bank returns the payout" },
  payout: { "PAID RETURNED": "the bank returns it" },
};
