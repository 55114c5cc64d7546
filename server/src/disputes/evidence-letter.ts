import { formatMoney } from "../core/money.ts";
import { wireTime } from "../core/request-time.ts";
import type { Payment } from "../payments/payment.ts";
import type { Dispute } from "./dispute.ts";

/** A letter to defend with, filled in with what we know: a PDF of one page, for the merchant to add to. */
export function evidenceLetter(dispute: Dispute, payment: Payment): Buffer {
  return pdfOf(linesOf(dispute, payment));
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

/** A minimal PDF: a catalogue, a page, its text and a font that every reader has. */
function pdfOf(lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${escaped(line)}) Tj T*`).join("\n");
  const text = `BT /F1 11 Tf 16 TL 56 780 Td\n${shown}\nET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${Buffer.byteLength(text, "latin1")} >>\nstream\n${text}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  let document = "%PDF-1.4\n";
  const places: number[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(Buffer.byteLength(document, "latin1"));
    document += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const tableAt = Buffer.byteLength(document, "latin1");
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  document += `xref\n0 ${count}\n0000000000 65535 f \n${rows}`;
  document += `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${tableAt}\n%%EOF\n`;
  return Buffer.from(document, "latin1");
}

/** The font has Latin-1 letters only; others are shown as a question mark. */
function escaped(line: string): string {
  return line.replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, "?").replaceAll(/[\\()]/g, String.raw`\$&`);
}
