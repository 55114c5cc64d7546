import assert from "node:assert/strict";
import { test } from "node:test";
import {
  drawnOrder,
  pdfText,
  popplerMissing,
  textLines,
  visualOrder,
} from "../../test/documents/pdf-text.ts";
import type { Payment } from "../payments/payment.ts";
import type { Dispute } from "./dispute.ts";
import { createEvidenceLetter } from "./evidence-letter.ts";

const at = new Date("2026-11-18T10:15:30Z");
const dispute = {
  disputeId: "20261118101530482047605661029384756",
  type: "CHARGEBACK",
  source: "BUYER",
  createdAt: at,
  dueAt: undefined,
  reasonCode: "4853",
  reasonMessage: "ไม่ได้รับน้ำผึ้ง (not received)",
  amount: { currency: "PLN", minor: 1250n },
} as unknown as Dispute;
const payment = {
  paymentId: "20261118101530482047605661029384757",
  paymentRequestId: "order-17",
  paymentMethodType: "TESTPAY",
  paidAmount: { currency: "PLN", minor: 1250n },
  paidAt: at,
  refundedMinor: 0n,
} as unknown as Payment;

test("the letter shows goods in every script", { skip: popplerMissing }, async () => {
  for (const orderDescription of [
    "两杯咖啡，一块蛋糕",
    "น้ำผึ้ง 2 ขวด ก๋วยเตี๋ยว",
    "قهوة عربية 12 كوب ٣٤٥ غرام",
    "Żółta filiżanka, Łódź",
  ]) {
    const lines = textLines(pdfText(await createEvidenceLetter(dispute, { ...payment, orderDescription })));
    assert.equal(lines[0], "Response to a dispute");
    assert.ok(lines.includes("Reason: 4853 ไม่ได้รับน้ำผึ้ง (not received)".normalize("NFKC")), lines.join("\n"));
    assert.ok(
      lines.map(drawnOrder).includes(visualOrder(`Order: ${orderDescription}`.normalize("NFKC"))),
      lines.join("\n"),
    );
    assert.equal(lines.at(-1), "Date, name and signature:");
  }
});

test("the letter has the same bytes each time", async () => {
  const described = { ...payment, orderDescription: "两杯咖啡 Kaffee" };
  const letter = await createEvidenceLetter(dispute, described);
  assert.ok(letter.equals(await createEvidenceLetter(dispute, described)));
});
