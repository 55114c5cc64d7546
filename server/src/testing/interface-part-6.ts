import { waiting, type Statement } from "./interface-statements.ts";

/** Part 6 of docs/interface.md: events. */
export const part6: readonly Statement[] = [
  waiting("6.1", "the merchant is notified of final success", "notifications"),
  waiting("6.2", "the merchant is notified of final failure", "notifications"),
  waiting("6.3", "online payments have notifyPayment", "notifications"),
  waiting("6.4", "online payments have notifyAuthorization", "authorizations"),
  waiting("6.5", "online payments have notifyRefund", "refunds"),
  waiting("6.6", "online payments have notifyCapture", "captures"),
  waiting("6.7", "online payments have notifyDispute", "disputes"),
  waiting("6.8", "in-store payments have notifyPayment", "in-store payments"),
  waiting("6.9", "in-store payments have notifyRegistrationStatus", "registration"),
];
