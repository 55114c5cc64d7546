// A shop in one file: it starts a payment, receives the webhook, and refunds.
//
//   npx --no tollgate dev   in one terminal: the gateway, and the settings for this file
//   node shop.mts           in another
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import {
  Money,
  newRequestId,
  SignatureVerificationError,
  Tollgate,
  type Notification,
} from "@tollgate/client";

// Reads address, client id and keys, as `tollgate dev` writes them. Environment variables have precedence.
for (const file of [".env", ".tollgate/.env"]) if (existsSync(file)) process.loadEnvFile(file);
if (!process.env["TOLLGATE_CLIENT_ID"]) {
  console.error("No settings found. Start the gateway in this folder first: npx --no tollgate dev");
  process.exit(1);
}
const client = new Tollgate();
const port = Number(process.env["PORT"] ?? 3000);
const shopUrl = `http://127.0.0.1:${port}`;
const paid = Promise.withResolvers<string>();

// Verifies, applies and acknowledges a webhook. If the response is not the acknowledgement, the gateway sends the
// webhook again.
async function takeNotification(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    // Read the raw bytes: the signature covers these bytes, and not JSON that was parsed and written again.
    const body = await buffer(request);
    const { method, url: path = "", headers } = request;
    const notification = await client.webhooks.construct({ method, path, headers, body });
    apply(notification);
    response.setHeader("content-type", "application/json").end(client.webhooks.ack());
  } catch (error) {
    const isForged = error instanceof SignatureVerificationError;
    console.error(isForged ? `refused: ${error.message}` : error);
    response.writeHead(isForged ? 401 : 500).end();
  }
}

// Update your order here, once and in a transaction: `applyOnce` of the library does this.
function apply(notification: Notification): void {
  if (notification.kind === "notifyPayment") {
    const { isPaid, paymentId, result } = notification.body;
    console.log(`verified notifyPayment: ${result.resultCode}, payment ${paymentId}`);
    // Check `isPaid` and never resultStatus: a pending payment has the result status S as well.
    if (isPaid) paid.resolve(paymentId);
  } else if (notification.kind === "notifyRefund") {
    const { refundStatus, refundId } = notification.body;
    console.log(`verified notifyRefund: ${refundStatus}, refund ${refundId}`);
  } else {
    console.log(`verified ${notification.kind}`);
  }
}

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/notify") void takeNotification(request, response);
  else response.end("Thank you. See the terminal for the result.\n");
});
server.once("error", () => {
  console.error(`Port ${port} is in use. Choose another: PORT=3001 node shop.mts`);
  process.exit(1);
});
await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));

const price = Money.of("EUR", "12.50").toAmount();
const payment = await client.payments.pay({
  productCode: "CASHIER_PAYMENT",
  // Store this id with the order before you send the request: repeats with this id are the same payment.
  paymentRequestId: newRequestId("order-1001"),
  order: { referenceOrderId: "order-1001", orderDescription: "Two coffees", orderAmount: price },
  paymentAmount: price,
  paymentMethod: { paymentMethodType: "GCASH" },
  paymentRedirectUrl: `${shopUrl}/thanks`,
  paymentNotifyUrl: `${shopUrl}/notify`,
  env: { terminalType: "WEB" },
});
console.log(`Pay as the buyer at ${payment.normalUrl}`);
console.log(`or with: npx --no tollgate approve ${payment.paymentId}`);

const paymentId = await paid.promise;
const refund = await client.payments.refund({
  refundRequestId: newRequestId("refund-1001"),
  paymentId,
  refundAmount: price,
  refundNotifyUrl: `${shopUrl}/notify`,
});
console.log(`refunded: ${refund.result.resultCode}`);
console.log("Still listening. Ctrl-C stops it.");
