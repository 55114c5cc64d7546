import type { Lifecycle } from "../core/lifecycle.ts";
import { formatMoney, type Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";
import { formatWireTime } from "../core/request-time.ts";
import type { Dispute } from "../disputes/dispute.ts";
import type { RefundFee } from "../ledger/fee.ts";
import { orderOf, type Payment } from "../payments/payment.ts";
import type { ConnectorTerms } from "../providers/connector.ts";

export type RefundStatus = "PROCESSING" | "SUCCESS" | "FAIL";

export const refundLifecycle = {
  PROCESSING: ["SUCCESS", "FAIL"],
  SUCCESS: ["FAIL"],
  FAIL: [],
} as const satisfies Lifecycle<RefundStatus>;

/** A refund returns money of a payment to its buyer. */
export interface Refund {
  readonly bucket: number;
  readonly clientId: string;
  readonly refundId: string;
  readonly refundRequestId: string;
  readonly paymentId: string;
  readonly status: RefundStatus;
  /** The reason for the refund's final status; REFUND_IN_PROCESS until the status is final. */
  readonly resultCode: ResultCode;
  readonly amount: Money;
  /** The change of the gateway's fees by the refund, decided when the refund was requested. */
  readonly fee: RefundFee;
  /** Idempotency: a hash of the fields that must be equal in a repeated request. */
  readonly fingerprint: Uint8Array;
  /** The merchant's own id of the refund. */
  readonly referenceRefundId: string | undefined;
  readonly reason: string | undefined;
  readonly notifyUrl: string | undefined;
  readonly metadata: string | undefined;
  readonly connector: string;
  /** Idempotency key at the provider: derived from the request, so that each retry sends the same reference. */
  readonly reference: string;
  readonly createdAt: Date;
  /** When the provider accepted the refund. From then on, the job polls the refund and does not send it again. */
  readonly acceptedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  /** When a refund that had succeeded failed, because the buyer's bank returned the money. */
  readonly reversedAt: Date | undefined;
}

export const refundRefusals = [
  "ORDER_IS_CANCELED",
  "ORDER_IS_CLOSED",
  "ORDER_STATUS_INVALID",
  "CURRENCY_NOT_SUPPORT",
  "REFUND_NOT_SUPPORTED",
  "REFUND_WINDOW_EXCEED",
  "REFUND_AMOUNT_EXCEED",
  "PARTIAL_REFUND_NOT_SUPPORTED",
  "MULTIPLE_REFUNDS_NOT_SUPPORTED",
] as const satisfies readonly ResultCode[];

export type RefundRefusal = (typeof refundRefusals)[number];

export interface RefundFacts {
  readonly payment: Payment;
  readonly amount: Money;
  /** Captured amount of the payment, without captures in progress, which may still fail. */
  readonly capturedMinor: bigint;
  readonly termsOf: (connector: string) => ConnectorTerms;
  readonly now: Date;
}

/**
 * `refundRefusal` returns the first reason to refuse the refund, or undefined. It does not check the merchant's
 * balance, which is checked later.
 */
export function refundRefusal(facts: RefundFacts): RefundRefusal | undefined {
  const { payment, amount, capturedMinor, termsOf, now } = facts;
  if (payment.status === "CANCELLED") return "ORDER_IS_CANCELED";
  if (payment.status === "FAIL" && payment.resultCode === "ORDER_IS_CLOSED") return "ORDER_IS_CLOSED";
  if (payment.status !== "SUCCESS" || payment.cancelRequestedAt) return "ORDER_STATUS_INVALID";
  if (amount.currency !== payment.amount?.currency) return "CURRENCY_NOT_SUPPORT";
  const terms = termsOf(orderOf(payment).connector);
  if (terms.refunds === "NONE") return "REFUND_NOT_SUPPORTED";
  if (!payment.paidAt || now.getTime() > windowEndMs(payment.paidAt, terms)) return "REFUND_WINDOW_EXCEED";
  if (amount.minor > refundableMinorOf(facts)) return "REFUND_AMOUNT_EXCEED";
  if (terms.refunds === "FULL" && amount.minor !== capturedMinor) return "PARTIAL_REFUND_NOT_SUPPORTED";
  if (terms.refunds !== "MANY" && payment.refundedMinor > 0n) return "MULTIPLE_REFUNDS_NOT_SUPPORTED";
  return undefined;
}

/** `refundableMinorOf` returns the captured amount that is neither refunded nor disputed. */
export function refundableMinorOf({
  payment,
  capturedMinor,
}: Pick<RefundFacts, "payment" | "capturedMinor">): bigint {
  return capturedMinor - payment.refundedMinor - payment.disputedMinor;
}

/** A dispute of the payment, with the amounts that it takes from refunds. */
export type BlockingDispute = Pick<
  Dispute,
  "disputeId" | "status" | "frozenMinor" | "debitedMinor" | "dueAt"
>;

/**
 * `describeBlockingDisputes` describes the disputes that leave too little to refund; undefined if there are none. The
 * live environment returns the description, too, because the result code only says that the amount is too large.
 */
export function describeBlockingDisputes(
  disputes: readonly BlockingDispute[],
  currency: string,
): { readonly detail: string; readonly hint: string } | undefined {
  const sentences = disputes.flatMap(({ disputeId, frozenMinor, debitedMinor }) => [
    ...(frozenMinor > 0n
      ? [
          `${formatMoney({ currency, minor: frozenMinor })} is frozen by dispute ${disputeId}, until the dispute is decided.`,
        ]
      : []),
    ...(debitedMinor > 0n
      ? [
          `${formatMoney({ currency, minor: debitedMinor })} was returned to the buyer by dispute ${disputeId}.`,
        ]
      : []),
  ]);
  if (sentences.length === 0) return undefined;
  const open = disputes.find(({ status, dueAt }) => status === "CREATED" && dueAt !== undefined);
  const hint = open?.dueAt
    ? `Answer the dispute by ${formatWireTime(open.dueAt.getTime())}: acceptDispute returns the money to the buyer, supplyDefenseDocument contests it.`
    : "Money that a dispute has frozen or returned cannot be refunded as well.";
  return { detail: sentences.join(" "), hint };
}

/**
 * `refundHint` explains a refusal beyond its code: the payment's currency and status, and the amount that can be
 * refunded.
 */
export function refundHint(
  refused: RefundRefusal,
  { payment, capturedMinor }: RefundFacts,
): string | undefined {
  const { amount, status, cancelRequestedAt } = payment;
  if (refused === "ORDER_STATUS_INVALID") {
    if (cancelRequestedAt) return "The payment is being cancelled, so there is nothing to refund.";
    return `The payment is ${status}, and only a payment with SUCCESS can be refunded. Cancel an unpaid payment instead.`;
  }
  if (!amount) return undefined;
  const { currency } = amount;
  if (refused === "CURRENCY_NOT_SUPPORT") return `The payment is in ${currency}: refund in ${currency}.`;
  if (refused !== "REFUND_AMOUNT_EXCEED") return undefined;
  const refundableMinor = refundableMinorOf({ payment, capturedMinor });
  const [leftText, allText] = [refundableMinor, capturedMinor].map((minor) =>
    formatMoney({ currency, minor }),
  );
  return refundableMinor > 0n
    ? `${leftText} of ${allText} can be refunded: send at most "${refundableMinor}".`
    : `Nothing of ${allText} can be refunded any more.`;
}

function windowEndMs(paidAt: Date, { refundWindowDays }: ConnectorTerms): number {
  return paidAt.getTime() + refundWindowDays * 24 * 3600 * 1000;
}
