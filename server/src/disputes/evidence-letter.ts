import { formatMoney } from "../core/money.ts";
import { pdfOf } from "../core/pdf.ts";
import { wireTime } from "../core/request-time.ts";
import type { Payment } from "../payments/payment.ts";
import type { Dispute } from "./dispute.ts";

/** A letter to defend with, filled in with what we know: a PDF of one page, for the merchant to add to. */
export function evidenceLetter(dispute: Dispute, payment: Payment): Buffer {
  return pdfOf([linesOf(dispute, payment)], { font: "Helvetica", size: 11, leading: 16 });
}

function linesOf(dispute: Dispute, payment: Payment): readonly string[] {
  const { amount, dueAt, source, reasonCode, reasonMessage } = dispute;
  const { paidAmount, paidAt, refundedMinor, paymentMethodType, orderDescription } = payment;
  const refunded = { currency: amount.currency, minor: refundedMinor };
  return [
    "Response to a dispute",
    "",
    `Dispute: ${dispute.disputeId} (${dispute.type})`,
    `Raised by: ${source}, on ${wireTime(dispute.createdAt.getTime())}`,
    `Reason: ${reasonCode} ${reasonMessage}`,
    `Disputed amount: ${formatMoney(amount)}`,
    ...(dueAt ? [`To be answered by: ${wireTime(dueAt.getTime())}`] : []),
    "",
    `Payment: ${payment.paymentId}`,
    `Merchant's reference: ${payment.paymentRequestId}`,
    ...(orderDescription ? [`Order: ${orderDescription}`] : []),
    ...(paymentMethodType ? [`Payment method: ${paymentMethodType}`] : []),
    ...(paidAmount ? [`Paid: ${formatMoney(paidAmount)}`] : []),
    ...(paidAt ? [`Paid on: ${wireTime(paidAt.getTime())}`] : []),
    `Refunded so far: ${formatMoney(refunded)}`,
    "",
    "We do not accept this dispute, for the following reasons:",
    "",
    "1. What was ordered, and when:",
    "",
    "2. How and when it was delivered, and to whom (enclose proof):",
    "",
    "3. What the buyer wrote to us, and what we answered:",
    "",
    "",
    "Date, name and signature:",
  ].flatMap(wrapped);
}

const lineLengthMax = 90;

function wrapped(line: string): readonly string[] {
  return line === "" ? [""] : (line.match(new RegExp(`.{1,${lineLengthMax}}`, "gu")) ?? []);
}
