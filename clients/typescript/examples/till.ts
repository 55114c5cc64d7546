import { Money, newRequestId, Tollgate, type TillState } from "@tollgate/client";

const client = new Tollgate();
const amount = Money.of("EUR", "4.20").toAmount();
const words: Readonly<Record<TillState, string>> = {
  asking: "Please confirm on your phone",
  checking: "One moment",
  cancelling: "Cancelling",
};

// Store this id before the call. After a crash of the point of sale, `finishByCode` continues with it.
const paymentRequestId = newRequestId("till-1");
const result = await client.payments.payByCode(
  {
    productCode: "IN_STORE_PAYMENT",
    paymentRequestId,
    paymentFactor: { inStorePaymentScenario: "PaymentCode" },
    order: {
      referenceOrderId: "receipt-77",
      orderDescription: "One coffee",
      orderAmount: amount,
      merchant: {
        referenceMerchantId: "m-1",
        merchantName: "Coffee Lab",
        merchantMCC: "5814",
        store: { referenceStoreId: "store-1", storeName: "Coffee Lab, Harbour", storeMCC: "5814" },
      },
      env: {
        storeTerminalId: "till-1",
        storeTerminalRequestTime: `${new Date().toISOString().slice(0, 19)}+00:00`,
      },
    },
    paymentAmount: amount,
    // The code that the scanner read from the buyer's phone.
    paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: process.argv[2] },
    paymentNotifyUrl: "https://shop.example/notify",
  },
  { onState: (state) => console.log(words[state]) },
);
switch (result.outcome) {
  case "paid":
    console.log("Paid at the till:", result.paymentId);
    break;
  case "declined":
    console.log("Not paid:", result.resultCode, result.advice);
    break;
  case "cancelled":
    console.log("Cancelled.", result.moneyBack ? "The money is returned." : "No money was taken.");
    break;
  case "unknown":
    console.log("Keep the goods. Call finishByCode later:", result.paymentRequestId);
}
