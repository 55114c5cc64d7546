import { Type, type Static } from "typebox";
import {
  Amount,
  Digits,
  withDescription,
  forms,
  OneOf,
  PaymentId,
  PaymentRequestId,
  Text,
  Time,
  toTime,
  type Meanings,
} from "../contract/schemas.ts";
import { toAmount } from "../core/money.ts";
import type { threeDSecureOutcomes } from "../providers/order-details.ts";
import { displayStatusOf, keptMinor, type DisplayStatus } from "./display-status.ts";
import { parseCheckoutOrder } from "./checkout-order.ts";
import type { Payment, PaymentStatus, ProductCode } from "./payment.ts";
import { viewTextSchemas } from "./request-texts.schema.ts";
import { returnTexts } from "./request-texts.ts";

export const paymentStatuses: Meanings<PaymentStatus> = {
  PROCESSING: "The buyer has not agreed yet, or the payment provider has not reported the result.",
  PENDING: "The buyer has agreed, and the payment provider has not decided yet.",
  SUCCESS: "The payment is paid, or, if it is to be captured later, the money is authorized.",
  FAIL: "The payment failed permanently.",
  CANCELLED: "You cancelled the payment.",
};

export const displayStatuses: Meanings<DisplayStatus> = {
  PROCESSING: paymentStatuses.PROCESSING,
  PENDING: paymentStatuses.PENDING,
  AUTHORIZED: "The buyer has agreed, and the money is authorized until you capture it.",
  RELEASED: "The authorization hold was released. Nothing was captured.",
  PAID: "The payment is paid, without refunds or disputes.",
  PARTLY_REFUNDED: "The payment is paid and partly refunded.",
  REFUNDED: "The payment is paid and fully refunded.",
  DISPUTED: "The payment is paid, and an open dispute freezes all or part of it.",
  DISPUTE_LOST: "The payment is paid, and a dispute debited all or part of it.",
  FAIL: paymentStatuses.FAIL,
  CANCELLED: paymentStatuses.CANCELLED,
};

const productMeanings: Meanings<ProductCode> = {
  CASHIER_PAYMENT: "Online, on a page.",
  AGREEMENT_PAYMENT: "With an access token.",
  IN_STORE_PAYMENT: "At the point of sale of a store.",
};

/** An amount that can be zero or negative. */
export const SignedAmount = Type.Object({
  currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
  value: Type.String({
    pattern: "^-?[0-9]{1,38}$",
    "x-digits": true,
    description: "An integer in the currency's smallest unit; it can be negative.",
  }),
});

const threeDSOutcomes: Meanings<(typeof threeDSecureOutcomes)[number]> = {
  AUTHENTICATED: "The issuer asked the buyer for approval, and the buyer approved.",
  ATTEMPTED: "The issuer or the buyer does not take part; the attempt counts as proof.",
  FRICTIONLESS: "The issuer authenticated the buyer without a question.",
  FAILED: "The authentication failed.",
  NOT_ATTEMPTED: "3-D Secure was not used.",
};

const ThreeDSResult = Type.Object(
  {
    threeDSVersion: Type.Optional(Text(8, "The version of 3-D Secure.")),
    threeDSOutcome: Type.Optional(OneOf(threeDSOutcomes, "The outcome of the authentication.")),
    isLiabilityShifted: Type.Optional(
      Type.Boolean({ description: "Whether the issuer bears the loss of a chargeback for fraud." }),
    ),
  },
  { title: "ThreeDSResult", description: "The result of 3-D Secure." },
);

const Info = Type.Object(
  {
    cardBrand: Type.Optional(Text(32, "The brand of the card, such as `VISA`.")),
    lastFour: Type.Optional(Text(4, "The last four digits of the card number.")),
    refusalCodeRaw: Type.Optional(
      Text(64, "The issuer's own code of a refusal, such as `51`. Only if the payment failed."),
    ),
    avsResultRaw: Type.Optional(Text(16, "The result of the address check, as the issuer writes it.")),
    cvvResultRaw: Type.Optional(
      Text(16, "The result of the check of the security code, as the issuer writes it."),
    ),
    networkTransactionId: Type.Optional(
      Digits(Text(64, "The card network's id of the payment, by which later payments refer to it.")),
    ),
    threeDSResult: Type.Optional(withDescription(ThreeDSResult, "The result of 3-D Secure.")),
  },
  {
    title: "PaymentResultInfo",
    description: "Details of a payment by card, as far as the payment provider reports them.",
  },
);

/** The field `paymentResultInfo` of an inquiry, a webhook and a view. */
export const paymentResultInfo = Type.Optional(
  withDescription(
    Info,
    "Details of a payment by card, once it is final. Absent if the provider reports none.",
  ),
);

/** A payment as in lists, without URLs, codes and tokens. */
export const PaymentSummary = Type.Object(
  {
    paymentId: PaymentId,
    paymentRequestId: PaymentRequestId,
    paymentStatus: OneOf(paymentStatuses, "The status of the payment."),
    displayStatus: OneOf(
      displayStatuses,
      "The status to show to people, with refunds and disputes included.",
    ),
    ...viewTextSchemas,
    paymentResultCode: Type.String({ maxLength: 64, description: "The reason for the payment status." }),
    productCode: OneOf(productMeanings, "The kind of payment."),
    paymentMethodType: Type.Optional(Type.String({ maxLength: 64, description: "The payment method." })),
    provider: Type.Optional(
      Type.String({
        maxLength: 32,
        description: "The connector of the payment provider that has the order.",
      }),
    ),
    paymentAmount: Type.Optional(withDescription(Amount, "The requested amount.")),
    actualPaymentAmount: Type.Optional(withDescription(Amount, "The amount that the buyer paid.")),
    capturedAmount: Type.Optional(
      withDescription(Amount, "The captured amount; absent if nothing was captured."),
    ),
    refundedAmount: Type.Optional(
      withDescription(Amount, "The refunded amount, with refunds in progress; absent if there is none."),
    ),
    disputedAmount: Type.Optional(
      withDescription(Amount, "The amount that disputes freeze or debited; absent if there is none."),
    ),
    keptAmount: Type.Optional(
      withDescription(
        SignedAmount,
        "The captured amount less refunds and disputes, before fees; absent if nothing was captured.",
      ),
    ),
    paymentCreateTime: withDescription(Time, "When the gateway accepted the payment."),
    paymentTime: Type.Optional(withDescription(Time, "When the buyer paid.")),
    paymentExpiryTime: Type.Optional(withDescription(Time, "Until when the buyer can pay.")),
    authExpiryTime: Type.Optional(withDescription(Time, "Until when the authorized money can be captured.")),
    authReleaseTime: Type.Optional(
      withDescription(
        Time,
        "When the rest of the authorization hold was released, or expired at the payment provider before " +
          "`authExpiryTime`.",
      ),
    ),
    cancelRequestedTime: Type.Optional(withDescription(Time, "When the cancel was requested.")),
    cancelTime: Type.Optional(withDescription(Time, "When the cancel was confirmed.")),
  },
  { title: "PaymentSummary", description: "A payment." },
);

/** `summaryOf` builds the summary of a payment; `lostMinor` is the part of the payment that disputes have debited. */
export function summaryOf(payment: Payment, lostMinor: bigint): Static<typeof PaymentSummary> {
  const { order, paymentMethodType, amount, paidAmount } = payment;
  const referenceOrderId = payment.referenceOrderId ?? parseCheckoutOrder(payment.checkoutOrder)?.number;
  const kept = keptMinor(payment);
  return {
    paymentId: payment.paymentId,
    paymentRequestId: payment.paymentRequestId,
    paymentStatus: payment.status,
    displayStatus: displayStatusOf(payment, lostMinor),
    ...returnTexts("view", payment),
    ...(referenceOrderId !== undefined && { referenceOrderId }),
    paymentResultCode: payment.resultCode,
    productCode: payment.productCode,
    ...(paymentMethodType !== undefined && { paymentMethodType }),
    ...(order && { provider: order.connector }),
    ...(amount && { paymentAmount: toAmount(amount) }),
    ...(paidAmount && { actualPaymentAmount: toAmount(paidAmount) }),
    ...nonZeroAmount(payment, "capturedAmount", payment.capturedMinor),
    ...nonZeroAmount(payment, "refundedAmount", payment.refundedMinor),
    ...nonZeroAmount(payment, "disputedAmount", payment.disputedMinor),
    ...(amount && kept !== undefined && { keptAmount: toAmount({ currency: amount.currency, minor: kept }) }),
    paymentCreateTime: toTime(payment.createdAt),
    ...optionalTime("paymentTime", payment.paidAt),
    ...optionalTime("paymentExpiryTime", payment.expiresAt),
    ...optionalTime("authExpiryTime", payment.authExpiresAt),
    ...optionalTime("authReleaseTime", payment.releasedAt),
    ...optionalTime("cancelRequestedTime", payment.cancelRequestedAt),
    ...optionalTime("cancelTime", payment.cancelledAt),
  };
}

type AmountField = "capturedAmount" | "refundedAmount" | "disputedAmount";

/** Omits an amount of zero. */
function nonZeroAmount(
  { amount }: Payment,
  name: AmountField,
  minor: bigint,
): Partial<Record<AmountField, Static<typeof Amount>>> {
  return amount && minor > 0n ? { [name]: toAmount({ currency: amount.currency, minor }) } : {};
}

type TimeField =
  | "paymentTime"
  | "paymentExpiryTime"
  | "authExpiryTime"
  | "authReleaseTime"
  | "cancelRequestedTime"
  | "cancelTime";

function optionalTime(name: TimeField, at: Date | undefined): Partial<Record<TimeField, string>> {
  return at ? { [name]: toTime(at) } : {};
}
