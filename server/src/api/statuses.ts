import { authorizationStatuses } from "../authorizations/view-authorizations.ts";
import { captureStatuses } from "../captures/capture-status.schema.ts";
import { finalityOf, statesOf, type Finality } from "../core/lifecycle.ts";
import { disputeStatuses } from "../disputes/dispute-summary.schema.ts";
import { statusesInWords } from "../notifications/delivery-filter.schema.ts";
import { paymentStatuses } from "../payments/payment-summary.schema.ts";
import { refundStatuses } from "../refunds/refund-status.schema.ts";
import { walletStatuses } from "../registrations/view-stores.ts";
import { batchStatuses, payoutStatuses } from "../settlement/settlement.schema.ts";
import { lifecycles, transitionCauses } from "./lifecycles.ts";
import type { Meanings } from "./schemas.ts";

/** A kind of record whose status merchants see. */
export interface StatusTable {
  /** In `lifecycles`. */
  readonly noun: string;
  readonly title: string;
  /** What a reader has to know beyond the table, in Markdown. */
  readonly note: string;
  readonly rows: readonly StatusRow[];
}

export interface StatusRow {
  readonly status: string;
  readonly means: string;
  readonly finality: Finality;
  /** The statuses that may follow. */
  readonly next: readonly string[];
}

/** The answer to "which statuses are final?", for `/docs/statuses` and docs/reference/statuses.md. */
export const statusTables: readonly StatusTable[] = [
  table(
    "payment",
    "Payment",
    paymentStatuses,
    "`paymentStatus` of `inquiryPayment`. A refund or a dispute does not change it: a payment that was refunded, in part or in full, stays `SUCCESS`.",
  ),
  table("refund", "Refund", refundStatuses, "`refundStatus` of `inquiryRefund` and of `notifyRefund`."),
  table(
    "capture",
    "Capture",
    captureStatuses,
    "`transactionStatus` of the payment's transaction of the type `CAPTURE` in `inquiryPayment`.",
  ),
  table(
    "dispute",
    "Dispute",
    disputeStatuses,
    "Shown in the merchant portal. `disputeNotificationType` of `notifyDispute` reports each change. A defense that the payment provider finds insufficient leads from `DEFENDED` back to `CREATED`.",
  ),
  table(
    "authorization",
    "Saved consent (authorization)",
    authorizationStatuses,
    "Shown in the merchant portal. `notifyAuthorization` reports when the buyer agrees or cancels.",
  ),
  table(
    "registration",
    "Store registration, for each payment provider",
    walletStatuses,
    "`inquiryRegistrationStatus` returns it for each payment provider.",
  ),
  table(
    "settlement_batch",
    "Settlement batch",
    batchStatuses,
    "`status` of a batch in `inquirySettlements`. A batch that is `CARRIED` is paid out as part of a later batch.",
  ),
  table(
    "payout",
    "Payout",
    payoutStatuses,
    "`status` of a payout in `inquirySettlements`. After `FAILED` or `RETURNED` the batch is paid out again by a new payout.",
  ),
  table(
    "notification",
    "Webhook (notification)",
    statusesInWords,
    "`notificationStatus` of `inquiryNotifications`. Whatever its status, the notification is in the feed of `inquiryEvents`.",
  ),
];

function table(noun: string, title: string, meanings: Meanings, note: string): StatusTable {
  const lifecycle = lifecycles[noun] ?? {};
  const rows = statesOf(lifecycle).map((status) => ({
    status,
    means: meanings[status] ?? "",
    finality: finalityOf(lifecycle, status, transitionCauses[noun]),
    next: lifecycle[status] ?? [],
  }));
  return { noun, title, note, rows };
}

/** The column "final" of a row. */
export function finalityInWords(finality: Finality): string {
  if (typeof finality === "object") return `yes, unless ${finality.unless}`;
  return finality === "final" ? "yes" : "no";
}
