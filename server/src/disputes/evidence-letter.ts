import { formatMoney } from "../core/money.ts";
import { formatWireTime } from "../core/request-time.ts";
import type { Payment } from "../payments/payment.ts";
import type { Dispute } from "./dispute.ts";

const title = "Response to a dispute";

/**
 * `createEvidenceLetter` returns a letter with the known facts, for the defense of a dispute: a PDF of one page, which the
 * merchant completes.
 */
export async function createEvidenceLetter(dispute: Dispute, payment: Payment): Promise<Buffer> {
  // The PDF libraries load with the first PDF, to keep the start-up time short.
  const { createPdf } = await import("../pdf/create-pdf.ts");
  const { createdAt } = dispute;
  return createPdf(letterLines(dispute, payment), { title, createdAt, size: 11, leading: 16 });
}

function letterLines(dispute: Dispute, payment: Payment): readonly string[] {
  const { amount, dueAt, source, reasonCode, reasonMessage } = dispute;
  const { paidAmount, paidAt, refundedMinor, paymentMethodType, orderDescription } = payment;
  const refunded = { currency: amount.currency, minor: refundedMinor };
  return [
    title,
    "",
    `Dispute: ${dispute.disputeId} (${dispute.type})`,
    `Raised by: ${source}, on ${formatWireTime(dispute.createdAt.getTime())}`,
    `Reason: ${reasonCode} ${reasonMessage}`,
    `Disputed amount: ${formatMoney(amount)}`,
    ...(dueAt ? [`To be answered by: ${formatWireTime(dueAt.getTime())}`] : []),
    "",
    `Payment: ${payment.paymentId}`,
    `Merchant's reference: ${payment.paymentRequestId}`,
    ...(orderDescription ? [`Order: ${orderDescription}`] : []),
    ...(paymentMethodType ? [`Payment method: ${paymentMethodType}`] : []),
    ...(paidAmount ? [`Paid: ${formatMoney(paidAmount)}`] : []),
    ...(paidAt ? [`Paid on: ${formatWireTime(paidAt.getTime())}`] : []),
    `Refunded so far: ${formatMoney(refunded)}`,
    "",
    "We do not accept this dispute, for the following reasons:",
    "",
    "1. Order: goods or services, and date:",
    "",
    "2. Delivery: how, when and to whom (enclose proof):",
    "",
    "3. Correspondence with the buyer:",
    "",
    "",
    "Date, name and signature:",
  ];
}
