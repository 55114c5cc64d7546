import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { newRequestId } from "../typescript/src/request-id.ts";
import { Tollgate } from "../typescript/src/tollgate.ts";
import { startDevGateway } from "./dev-gateway.ts";

/** A gateway for examples: what they have to know of it, and a shop and a buyer who do the rest. */
export interface ExampleGateway {
  /** From which every library takes its keys and the address. */
  readonly variables: Readonly<Record<string, string>>;
  /** The buyer pays. */
  approve(paymentId: string): Promise<void>;
  /** A payment that is told to this address. */
  pay(paymentNotifyUrl: string): Promise<string>;
  /** Until the address has acknowledged what it was told of a payment. */
  untilDelivered(paymentId: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startExampleGateway(): Promise<ExampleGateway> {
  const dev = await startDevGateway();
  const { clientId, keyVersion, baseUrl, walletUrl, controlSecret } = dev;
  const privateKey = await readFile(dev.merchantPrivateKeyFile, "utf8");
  const gatewayPublicKeys = await readFile(dev.gatewayPublicKeyFile, "utf8");
  const client = new Tollgate({ clientId, keyVersion, baseUrl, privateKey, gatewayPublicKeys });
  return {
    variables: {
      TOLLGATE_BASE_URL: baseUrl,
      TOLLGATE_CLIENT_ID: clientId,
      TOLLGATE_KEY_VERSION: String(keyVersion),
      TOLLGATE_PRIVATE_KEY: privateKey,
      TOLLGATE_GATEWAY_PUBLIC_KEY: gatewayPublicKeys,
    },
    async approve(paymentId) {
      const headers = { authorization: `Bearer ${controlSecret}` };
      const url = `${walletUrl}/control/payments/${paymentId}/approve`;
      const response = await fetch(url, { method: "POST", headers });
      if (response.status !== 200) throw new Error(await response.text());
    },
    pay: (paymentNotifyUrl) => payFor(client, paymentNotifyUrl),
    untilDelivered: (paymentId) => untilDelivered(client, paymentId),
    stop: () => dev.stop(),
  };
}

async function payFor(client: Tollgate, paymentNotifyUrl: string): Promise<string> {
  const amount = { currency: "EUR", value: "1250" };
  const { paymentId = "" } = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: newRequestId("example"),
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl,
    env: { terminalType: "WEB" },
  });
  return paymentId;
}

async function untilDelivered(client: Tollgate, subjectId: string): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const { notifications = [] } = await client.tollgate.inquiryNotifications({ subjectId });
    if (notifications.some(({ notificationStatus }) => notificationStatus === "DELIVERED")) return;
    await pause(200);
  }
  throw new Error(`The notification of ${subjectId} was not acknowledged.`);
}
