import { Type, type Static } from "typebox";
import {
  Amount,
  described,
  forms,
  OneOf,
  PaymentId,
  PaymentRequestId,
  Time,
  toTime,
  type Meanings,
} from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import { displayStatusOf, keptMinor, type DisplayStatus } from "./display-status.ts";
import { readOrderShown } from "./order-shown.ts";
import type { Payment, PaymentStatus, ProductCode } from "./payment.ts";

export const paymentStatuses: Meanings<PaymentStatus> = {
  PROCESSING: "The buyer has not agreed yet, or the wallet has not told us.",
  PENDING: "The buyer has agreed, and the wallet still decides.",
  SUCCESS: "It was paid; or, of a payment to be captured, the money is held.",
  FAIL: "It was not paid, and will not be.",
  CANCELLED: "You called it off.",
};

export const displayStatuses: Meanings<DisplayStatus> = {
  PROCESSING: paymentStatuses.PROCESSING,
  PENDING: paymentStatuses.PENDING,
  AUTHORIZED: "The buyer has agreed, and the money is held until you capture it.",
  RELEASED: "The authorization hold was released. Nothing was captured.",
  PAID: "It was paid, and all of the money is left.",
  PARTLY_REFUNDED: "It was paid, and part of it was refunded.",
  REFUNDED: "It was paid, and all of it was refunded.",
  DISPUTED: "It was paid, and an open dispute freezes all or part of it.",
  DISPUTE_LOST: "It was paid, and a dispute took all or part of it.",
  FAIL: paymentStatuses.FAIL,
  CANCELLED: paymentStatuses.CANCELLED,
};

const products: Meanings<ProductCode> = {
  CASHIER_PAYMENT: "Online, on a page.",
  AGREEMENT_PAYMENT: "With an access token.",
  IN_STORE_PAYMENT: "At the till of a store.",
};

/** A sum that can be zero or negative. */
export const SignedAmount = Type.Object({
  currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
  value: Type.String({
    pattern: "^-?[0-9]{1,38}$",
    "x-digits": true,
    description: "A whole number of the currency's smallest unit; it can be negative.",
  }),
});

/** A payment, as lists show it. Without addresses, codes and tokens. */
export const PaymentSummary = Type.Object(
  {
    paymentId: PaymentId,
    paymentRequestId: PaymentRequestId,
    paymentStatus: OneOf(paymentStatuses, "Where the payment stands."),
    displayStatus: OneOf(
      displayStatuses,
      "What to show to people: the status, and what is left after refunds and disputes.",
    ),
    referenceOrderId: Type.Optional(Type.String({ maxLength: 64, description: "Your own order number." })),
    paymentResultCode: Type.String({ maxLength: 64, description: "Why it stands there." }),
    productCode: OneOf(products, "What kind of payment it is."),
    paymentMethodType: Type.Optional(Type.String({ maxLength: 64, description: "How the buyer pays." })),
    wallet: Type.Optional(Type.String({ maxLength: 32, description: "The wallet that has the order." })),
    orderDescription: Type.Optional(
      Type.String({ maxLength: 256, description: "What was sold, in your words." }),
    ),
    paymentAmount: Type.Optional(described(Amount, "What was asked for.")),
    actualPaymentAmount: Type.Optional(described(Amount, "What was really paid.")),
    capturedAmount: Type.Optional(described(Amount, "What was taken of it, if anything was.")),
    refundedAmount: Type.Optional(described(Amount, "What goes back or went back, if anything does.")),
    disputedAmount: Type.Optional(described(Amount, "What disputes freeze or have taken, if anything.")),
    keptAmount: Type.Optional(
      described(
        SignedAmount,
        "What is left of the captured amount after refunds and disputes, before fees; absent if nothing was captured.",
      ),
    ),
    paymentCreateTime: described(Time, "When we took it in."),
    paymentTime: Type.Optional(described(Time, "When it was paid.")),
    paymentExpiryTime: Type.Optional(described(Time, "Until when the buyer can pay.")),
    authExpiryTime: Type.Optional(described(Time, "Until when held money can be captured.")),
    cancelRequestedTime: Type.Optional(described(Time, "Since when it is to be cancelled.")),
    cancelTime: Type.Optional(described(Time, "When it was cancelled.")),
  },
  { title: "PaymentSummary", description: "A payment." },
);

/** `summaryOf` builds the summary; `lostMinor` is what disputes have debited of the payment. */
export function summaryOf(payment: Payment, lostMinor: bigint): Static<typeof PaymentSummary> {
  const { order, paymentMethodType, orderDescription, amount, paidAmount } = payment;
  const referenceOrderId = payment.referenceOrderId ?? readOrderShown(payment.orderShown)?.number;
  const kept = keptMinor(payment);
  return {
    paymentId: payment.paymentId,
    paymentRequestId: payment.paymentRequestId,
    paymentStatus: payment.status,
    displayStatus: displayStatusOf(payment, lostMinor),
    ...(referenceOrderId !== undefined && { referenceOrderId }),
    paymentResultCode: payment.resultCode,
    productCode: payment.productCode,
    ...(paymentMethodType !== undefined && { paymentMethodType }),
    ...(order && { wallet: order.connector }),
    ...(orderDescription !== undefined && { orderDescription }),
    ...(amount && { paymentAmount: toAmount(amount) }),
    ...(paidAmount && { actualPaymentAmount: toAmount(paidAmount) }),
    ...someOf(payment, "capturedAmount", payment.capturedMinor),
    ...someOf(payment, "refundedAmount", payment.refundedMinor),
    ...someOf(payment, "disputedAmount", payment.disputedMinor),
    ...(amount && kept !== undefined && { keptAmount: toAmount({ currency: amount.currency, minor: kept }) }),
    paymentCreateTime: toTime(payment.createdAt),
    ...timed("paymentTime", payment.paidAt),
    ...timed("paymentExpiryTime", payment.expiresAt),
    ...timed("authExpiryTime", payment.authExpiresAt),
    ...timed("cancelRequestedTime", payment.cancelRequestedAt),
    ...timed("cancelTime", payment.cancelledAt),
  };
}

type Sum = "capturedAmount" | "refundedAmount" | "disputedAmount";

/** No sum of zero. */
function someOf({ amount }: Payment, name: Sum, minor: bigint): Partial<Record<Sum, Static<typeof Amount>>> {
  return amount && minor > 0n ? { [name]: toAmount({ currency: amount.currency, minor }) } : {};
}

type Moment = "paymentTime" | "paymentExpiryTime" | "authExpiryTime" | "cancelRequestedTime" | "cancelTime";

function timed(name: Moment, at: Date | undefined): Partial<Record<Moment, string>> {
  return at ? { [name]: toTime(at) } : {};
}
