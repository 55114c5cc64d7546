import { Type } from "typebox";
import { NextCursor, pageLimitDefault, PageRequest, pageWindow } from "../contract/page-request.ts";
import { Digits, forms, OneOf } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { matchesFilters } from "../search/payment-search.ts";
import { findPaymentIds } from "../search/find-payments.tx.ts";
import { SearchAge } from "../search/search-age.schema.ts";
import { findSearchAgeMs } from "../search/search.sql.ts";
import { displayStatusOf, paymentStatusOf, type DisplayStatus } from "./display-status.ts";
import { sumDisputeLosses } from "./display-status.sql.ts";
import { displayStatuses, PaymentSummary, paymentStatuses, summaryOf } from "./payment-summary.schema.ts";
import { listPayments } from "./payment.sql.ts";
import type { Payment } from "./payment.ts";

const amountLimit = (description: string) =>
  Type.Optional(Type.String({ pattern: forms.amount, description, "x-digits": true }));

interface PaymentPage extends Page<Payment> {
  readonly ageMs: number;
  /** Amount that disputes have debited of each payment, in minor units. */
  readonly lostMinorById: ReadonlyMap<string, bigint>;
}

export const viewPayments = view({
  name: "payments",
  summary: "Lists and searches payments, the newest first.",
  description:
    "Payments are sorted by creation time. A new payment appears in the search after a short delay, which " +
    "`ageSeconds` reports. The details of each payment are current.",
  permission: "payments.read",

  request: Type.Object({
    ...PageRequest,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 250,
        description: `Maximum number of rows (default ${pageLimitDefault}). Use a large limit to save a list to a file.`,
      }),
    ),
    search: Type.Optional(
      Digits(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description:
            "Filters by an id of the payment or of its capture, refund or dispute, by the provider's " +
            "reference, by the beginning of your own request id or order number, or by an amount as " +
            "people write it, such as `12.50` or `EUR 12.50`.",
        }),
      ),
    ),
    paymentStatus: Type.Optional(OneOf(paymentStatuses, "Only payments with this status.")),
    displayStatus: Type.Optional(
      OneOf(
        displayStatuses,
        "Only payments with this display status. It takes precedence over `paymentStatus`.",
      ),
    ),
    paymentMethodType: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Only payments with this payment method." }),
    ),
    currency: Type.Optional(Type.String({ pattern: forms.currency, description: "Only this currency." })),
    amountFrom: amountLimit("Only payments of at least this amount, in the currency's smallest unit."),
    amountUntil: amountLimit("Only payments of at most this amount, in the currency's smallest unit."),
  }),
  response: Type.Object({
    payments: Type.Array(PaymentSummary, { description: "The payments, the newest first." }),
    nextCursor: NextCursor,
    ageSeconds: SearchAge,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { paymentStatus: "SUCCESS", currency: "EUR", amountFrom: "1000", limit: 1 },
    response: {
      payments: [
        {
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          paymentStatus: "SUCCESS",
          displayStatus: "PAID",
          referenceOrderId: "order-1001",
          paymentResultCode: "SUCCESS",
          productCode: "CASHIER_PAYMENT",
          paymentMethodType: "GCASH",
          provider: "sandbox-wallet",
          orderDescription: "Two coffees",
          paymentAmount: { currency: "EUR", value: "1250" },
          actualPaymentAmount: { currency: "EUR", value: "1250" },
          capturedAmount: { currency: "EUR", value: "1250" },
          keptAmount: { currency: "EUR", value: "1250" },
          paymentCreateTime: "2026-11-15T09:30:00+00:00",
          paymentTime: "2026-11-15T09:30:07+00:00",
          paymentExpiryTime: "2026-11-15T09:44:00+00:00",
        },
      ],
      nextCursor: "20261115093000123047601530017744120",
      ageSeconds: 1,
    },
  },

  async find(call, request) {
    const window = pageWindow(request);
    if (isRefusal(window)) return window;
    const { search, displayStatus, paymentMethodType, currency } = request;
    const status = paymentStatusOf(displayStatus) ?? request.paymentStatus;
    const filter = { status, displayStatus, paymentMethodType, currency };
    const amounts = { fromMinor: request.amountFrom, untilMinor: request.amountUntil };
    // The age is read before the search tables, so that these are never older than the reported age.
    const ageMs = await findSearchAgeMs(call.tx);
    const ids = await findPaymentIds(call.tx, call, { search, filter, amounts }, window);
    const page = pageOf(ids, window, (id) => id);
    const currentPayments = page.items.length > 0 ? await listPayments(call.tx, call, page.items) : [];
    const lostMinorById = await sumDisputeLosses(call.tx, call, currentPayments);
    const currentStatus = ({ paymentId, ...payment }: Payment): DisplayStatus =>
      displayStatusOf(payment, lostMinorById.get(paymentId) ?? 0n);
    // The rows are filtered again by the current payment, because the search tables lag behind the payments by
    // `ageSeconds`.
    const items = currentPayments
      .filter(
        (payment) =>
          matchesFilters(payment, filter) &&
          (displayStatus ?? currentStatus(payment)) === currentStatus(payment),
      )
      .toSorted((left, right) => (left.paymentId < right.paymentId ? 1 : -1));
    return { items, nextCursor: page.nextCursor, ageMs, lostMinorById };
  },

  answer({ items, nextCursor, ageMs, lostMinorById }: PaymentPage) {
    const payments = items.map((each) => summaryOf(each, lostMinorById.get(each.paymentId) ?? 0n));
    return {
      code: "SUCCESS",
      payments,
      ...toNextCursor({ nextCursor }),
      ageSeconds: Math.round(ageMs / 1000),
    };
  },
});
