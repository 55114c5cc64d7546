import { Type, type Static } from "typebox";
import {
  Amount,
  described,
  OneOf,
  PaymentId,
  PaymentRequestId,
  Time,
  toTime,
  type Meanings,
} from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import type { Payment, PaymentStatus, ProductCode } from "./payment.ts";

export const paymentStatuses: Meanings<PaymentStatus> = {
  PROCESSING: "The buyer has not agreed yet, or the wallet has not told us.",
  PENDING: "The buyer has agreed, and the wallet still decides.",
  SUCCESS: "It was paid; or, of a payment to be captured, the money is held.",
  FAIL: "It was not paid, and will not be.",
  CANCELLED: "You called it off.",
};

const products: Meanings<ProductCode> = {
  CASHIER_PAYMENT: "Online, on a page.",
  AGREEMENT_PAYMENT: "With an access token.",
  IN_STORE_PAYMENT: "At the till of a store.",
};

/** A payment, as lists show it. Without addresses, codes and tokens. */
export const PaymentSummary = Type.Object(
  {
    paymentId: PaymentId,
    paymentRequestId: PaymentRequestId,
    paymentStatus: OneOf(paymentStatuses, "Where the payment stands."),
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
    paymentCreateTime: described(Time, "When we took it in."),
    paymentTime: Type.Optional(described(Time, "When it was paid.")),
    paymentExpiryTime: Type.Optional(described(Time, "Until when the buyer can pay.")),
    authExpiryTime: Type.Optional(described(Time, "Until when held money can be captured.")),
    cancelRequestedTime: Type.Optional(described(Time, "Since when it is to be cancelled.")),
    cancelTime: Type.Optional(described(Time, "When it was cancelled.")),
  },
  { title: "PaymentSummary", description: "A payment." },
);

export function summaryOf(payment: Payment): Static<typeof PaymentSummary> {
  const { order, paymentMethodType, orderDescription, amount, paidAmount } = payment;
  return {
    paymentId: payment.paymentId,
    paymentRequestId: payment.paymentRequestId,
    paymentStatus: payment.status,
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
