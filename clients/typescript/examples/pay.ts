import { DeclinedError, GatewayError, Money, newRequestId, Tollgate } from "@tollgate/client";

// Client id, keys and base URL come from TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY, TOLLGATE_GATEWAY_PUBLIC_KEY and TOLLGATE_BASE_URL.
const client = new Tollgate({ environment: "sandbox" });

// Store this id with the order before the call. A retry must use the same id.
const paymentRequestId = newRequestId("order-1001");
const amount = Money.of("EUR", "12.50").toAmount();

try {
  const payment = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1001", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    // Without this URL you get no webhook; see notify-node.ts.
    paymentNotifyUrl: "https://shop.example/notify?shop=1",
    env: { terminalType: "WEB" },
  });
  // Usually `isPending` is true: the buyer pays at `normalUrl`, and a webhook reports the outcome.
  if (payment.isPending) console.log("Send the buyer to", payment.normalUrl);
  console.log("payment", payment.paymentId);
} catch (error) {
  if (error instanceof DeclinedError) console.log("Offer another method:", error.code);
  else if (error instanceof GatewayError)
    console.log(error.name, error.message, error.requestId, error.traceId);
  throw error;
}
