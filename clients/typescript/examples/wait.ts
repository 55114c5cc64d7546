import { Tollgate } from "@tollgate/client";

const client = new Tollgate({ environment: "sandbox" });
const paymentId = process.env["PAYMENT_ID"];

const payment = await client.payments.waitForFinal({ paymentId }, { timeoutMs: 30_000 });
console.log(payment.isPaid ? "Paid:" : "Not paid:", payment.paymentStatus, payment.paymentAmount);
