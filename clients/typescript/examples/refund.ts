import { Money, newRequestId, Tollgate } from "@tollgate/client";

const client = new Tollgate({ environment: "sandbox" });
const paymentId = process.env["PAYMENT_ID"] ?? "";
const refundRequestId = newRequestId("refund");

await client.payments.refund({
  refundRequestId,
  paymentId,
  refundAmount: Money.of("EUR", "2.50").toAmount(),
  refundNotifyUrl: "https://shop.example/notify?shop=1",
});
const refund = await client.payments.waitForFinalRefund({ refundRequestId });
console.log(refund.refundStatus);
