import { viewAuthorizations } from "../authorizations/view-authorizations.ts";
import { viewCaptures } from "../captures/view-captures.ts";
import { finalityOf, statesOf, type Finality } from "../core/lifecycle.ts";
import { viewDisputes } from "../disputes/view-disputes.ts";
import { inquireNotifications } from "../notifications/inquire-notifications.ts";
import { inquirePayment } from "../payments/inquire-payment.ts";
import { inquireRefund } from "../refunds/inquire-refund.ts";
import { viewStores } from "../registrations/view-stores.ts";
import { inquireSettlements } from "../settlement/inquire-settlements.ts";
import type { SchemaNode } from "../contract/error-messages.ts";
import { lifecycles, transitionCauses } from "./lifecycles.ts";
import type { Meanings } from "../contract/schemas.ts";

/** A kind of record whose status merchants see. */
export interface StatusTable {
  /** The key in `lifecycles`. */
  readonly noun: string;
  readonly title: string;
  /** A note below the table of statuses, in Markdown. */
  readonly note: string;
  readonly rows: readonly StatusRow[];
}

export interface StatusRow {
  readonly status: string;
  readonly means: string;
  readonly finality: Finality;
  /** The allowed next statuses. */
  readonly next: readonly string[];
}

/** The statuses of all records, for `/docs/statuses` and docs/reference/statuses.md. */
export const statusTables: readonly StatusTable[] = [
  statusTable(
    "payment",
    "Payment",
    meaningsOf(inquirePayment.response, "paymentStatus"),
    "`paymentStatus` of `inquiryPayment`. A refund or a dispute does not change it: a payment that was refunded, in part or in full, stays `SUCCESS`.",
  ),
  statusTable(
    "refund",
    "Refund",
    meaningsOf(inquireRefund.response, "refundStatus"),
    "`refundStatus` of `inquiryRefund` and of `notifyRefund`.",
  ),
  statusTable(
    "capture",
    "Capture",
    meaningsOf(viewCaptures.response, "captureStatus"),
    "`transactionStatus` of the payment's transaction of the type `CAPTURE` in `inquiryPayment`.",
  ),
  statusTable(
    "dispute",
    "Dispute",
    meaningsOf(viewDisputes.response, "disputeStatus"),
    "Shown in the merchant portal. `disputeNotificationType` of `notifyDispute` reports each change. A defense that the payment provider finds insufficient leads from `DEFENDED` back to `CREATED`.",
  ),
  statusTable(
    "authorization",
    "Saved consent (authorization)",
    meaningsOf(viewAuthorizations.response, "authorizationStatus"),
    "Shown in the merchant portal. `notifyAuthorization` reports when the buyer agrees or cancels.",
  ),
  statusTable(
    "registration",
    "Store registration, for each payment provider",
    meaningsOf(viewStores.response, "providerStatus"),
    "`inquiryRegistrationStatus` returns it for each payment provider.",
  ),
  statusTable(
    "settlement_batch",
    "Settlement batch",
    meaningsOf(inquireSettlements.response, "status", "CARRIED"),
    "`status` of a batch in `inquirySettlements`. A batch that is `CARRIED` is paid out as part of a later batch.",
  ),
  statusTable(
    "payout",
    "Payout",
    meaningsOf(inquireSettlements.response, "status", "RETURNED"),
    "`status` of a payout in `inquirySettlements`. After `FAILED` or `RETURNED` the batch is paid out again by a new payout.",
  ),
  statusTable(
    "notification",
    "Webhook (notification)",
    meaningsOf(inquireNotifications.response, "notificationStatus"),
    "`notificationStatus` of `inquiryNotifications`. The webhook is in the event feed of `inquiryEvents` with any status.",
  ),
];

function statusTable(noun: string, title: string, meanings: Meanings, note: string): StatusTable {
  const lifecycle = lifecycles[noun] ?? {};
  const rows = statesOf(lifecycle).map((status) => ({
    status,
    means: meanings[status] ?? "",
    finality: finalityOf(lifecycle, status, transitionCauses[noun]),
    next: lifecycle[status] ?? [],
  }));
  return { noun, title, note, rows };
}

/**
 * The meanings of a field's values in a schema, at any depth. If several fields have this name, the function reads the
 * field that has the given value.
 */
function meaningsOf(schema: object, field: string, value?: string): Meanings {
  return findMeanings(schema, field, value) ?? {};
}

function findMeanings(schema: SchemaNode, field: string, value?: string): Meanings | undefined {
  const { properties = {}, items } = schema;
  for (const [name, inner] of Object.entries(properties)) {
    const { "x-enumDescriptions": meanings } = inner as { readonly "x-enumDescriptions"?: Meanings };
    const isMatch = name === field && meanings && (value === undefined || value in meanings);
    const found = isMatch ? meanings : findMeanings(inner, field, value);
    if (found) return found;
  }
  return items && findMeanings(items, field, value);
}

/** The text of the column "final" in the table of statuses. */
export function formatFinality(finality: Finality): string {
  if (typeof finality === "object") return `yes, unless ${finality.unless}`;
  return finality === "final" ? "yes" : "no";
}
