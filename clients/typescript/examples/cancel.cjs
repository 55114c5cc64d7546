const { Money, newRequestId, Tollgate } = require("@tollgate/client");

const client = new Tollgate({ environment: "sandbox" });

async function main() {
  const amount = Money.of("EUR", "3").toAmount();
  const paymentRequestId = newRequestId("tea");
  await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "tea", orderDescription: "Tea", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
  });
  const cancelled = await client.payments.cancel({ paymentRequestId });
  console.log("cancelled", cancelled.isSuccess);
}

void main();
