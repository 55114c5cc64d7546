import type {
  Amount,
  InquiryPaymentResponse,
  Transaction,
} from "../../../clients/typescript/src/generated/models.ts";
import { Money } from "../../../clients/typescript/src/money.ts";

type Payment = Pick<
  InquiryPaymentResponse,
  "paymentId" | "paymentStatus" | "paymentAmount" | "actualPaymentAmount" | "authExpiryTime" | "transactions"
>;

/**
 * The refundable amount: captured minus refunded, including refunds in progress. Throws a sentence with the reason if
 * nothing is left.
 */
export function refundableAmount(payment: Payment): Amount {
  const { paymentId, paymentStatus, paymentAmount, authExpiryTime, transactions = [] } = payment;
  const paid = payment.actualPaymentAmount ?? paymentAmount;
  if (!paid || paymentStatus !== "SUCCESS")
    throw new Error(`Payment ${paymentId} is ${paymentStatus}: nothing was paid that could be refunded.`);
  const captured = sumTransactions(transactions, "CAPTURE", ["SUCCESS"]);
  const refunded = sumTransactions(transactions, "REFUND", ["SUCCESS", "PROCESSING"]);
  const isHeld = authExpiryTime !== undefined || captured > 0n;
  const remaining = (isHeld ? captured : BigInt(paid.value)) - refunded;
  if (remaining > 0n) return { currency: paid.currency, value: String(remaining) };
  if (isHeld && captured === 0n)
    throw new Error(`Payment ${paymentId} is held and nothing of it is captured: cancel it instead.`);
  throw new Error(`All of payment ${paymentId}, ${formatAmount(paid)}, is already refunded.`);
}

/**
 * The part of an authorization hold that is neither captured nor in progress. Throws a sentence with the reason if
 * nothing is left.
 */
export function capturableAmount(payment: Payment): Amount {
  const { paymentId, paymentStatus, paymentAmount, authExpiryTime, transactions = [] } = payment;
  if (!paymentAmount || paymentStatus !== "SUCCESS" || authExpiryTime === undefined)
    throw new Error(`Payment ${paymentId} is ${paymentStatus}, and has no authorization hold to capture.`);
  const remaining =
    BigInt(paymentAmount.value) - sumTransactions(transactions, "CAPTURE", ["SUCCESS", "PROCESSING"]);
  if (remaining > 0n) return { currency: paymentAmount.currency, value: String(remaining) };
  throw new Error(`All of payment ${paymentId}, ${formatAmount(paymentAmount)}, is taken already.`);
}

function sumTransactions(
  transactions: readonly Transaction[],
  type: string,
  statuses: readonly string[],
): bigint {
  return transactions
    .filter((each) => each.transactionType === type && statuses.includes(each.transactionStatus))
    .reduce((sum, { transactionAmount }) => sum + BigInt(transactionAmount.value), 0n);
}

function formatAmount(amount: Amount): string {
  return `${amount.currency} ${Money.from(amount).toDecimal()}`;
}
