import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { DeliveryAttempt } from "../typescript/src/generated/package.ts";
import { newRequestId } from "../typescript/src/request-id.ts";
import { Tollgate } from "../typescript/src/tollgate.ts";
import { startDevGateway, type DevGateway } from "./dev-gateway.ts";

/** A gateway for examples: their environment variables, and the actions of a shop and a buyer. */
export interface ExampleGateway {
  /** Environment variables with the keys and the base URL, which every library reads. */
  readonly variables: Readonly<Record<string, string>>;
  /** The buyer's decision. */
  approve(paymentId: string): Promise<void>;
  decline(paymentId: string): Promise<void>;
  /** Acts as a buyer who has paid, while the provider reports the payment as pending. */
  pend(paymentId: string): Promise<void>;
  /** The code that a buyer's wallet shows at a point of sale. */
  paymentCode(): Promise<string>;
  /** A payment whose webhooks go to this address. */
  pay(paymentNotifyUrl: string, paymentRequestId?: string): Promise<string>;
  /** Waits until a delivery attempt of the payment's webhook got this HTTP status. */
  untilResponded(paymentId: string, httpStatus: number): Promise<void>;
  /** Waits until the endpoint has acknowledged all webhooks of a payment. */
  untilDelivered(paymentId: string): Promise<void>;
  /** Sends all webhooks of a payment again, at once. */
  resend(paymentId: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startExampleGateway(): Promise<ExampleGateway> {
  return createExampleGateway(await startDevGateway());
}

/** Creates the gateway for examples from a gateway that is already running. */
export async function createExampleGateway(dev: DevGateway): Promise<ExampleGateway> {
  const { clientId, keyVersion, baseUrl } = dev;
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
    approve: (paymentId) => controlPayment(dev, paymentId, "approve"),
    decline: (paymentId) => controlPayment(dev, paymentId, "decline"),
    pend: (paymentId) => controlPayment(dev, paymentId, "pend"),
    paymentCode: () => createPaymentCode(dev),
    pay: (paymentNotifyUrl, id) => createPayment(client, paymentNotifyUrl, id ?? newRequestId("example")),
    untilResponded: (paymentId, httpStatus) =>
      waitForWebhook(client, paymentId, `answered ${httpStatus}`, ({ attempts }) =>
        attempts.some((attempt) => attempt.httpStatus === httpStatus),
      ),
    untilDelivered: (paymentId) =>
      waitForWebhook(client, paymentId, "acknowledged", ({ status }) => status === "DELIVERED"),
    async resend(subjectId) {
      await client.tollgate.resendNotifications({ subjectId });
    },
    stop: () => dev.stop(),
  };
}

async function createPaymentCode({ walletUrl, controlSecret }: DevGateway): Promise<string> {
  const headers = { authorization: `Bearer ${controlSecret}` };
  const response = await fetch(`${walletUrl}/control/payment-codes`, { method: "POST", headers, body: "{}" });
  return ((await response.json()) as { readonly paymentCode: string }).paymentCode;
}

/** Acts as the buyer, through the sandbox provider's API for tests. */
async function controlPayment(
  dev: DevGateway,
  paymentId: string,
  decision: "approve" | "decline" | "pend",
): Promise<void> {
  const headers = { authorization: `Bearer ${dev.controlSecret}` };
  const url = `${dev.walletUrl}/control/payments/${paymentId}/${decision}`;
  const response = await fetch(url, { method: "POST", headers });
  if (response.status !== 200) throw new Error(await response.text());
}

async function createPayment(
  client: Tollgate,
  paymentNotifyUrl: string,
  paymentRequestId: string,
): Promise<string> {
  const amount = { currency: "EUR", value: "1250" };
  const { paymentId = "" } = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl,
    env: { terminalType: "WEB" },
  });
  return paymentId;
}

interface SentWebhook {
  readonly status: string;
  readonly attempts: readonly DeliveryAttempt[];
}

async function waitForWebhook(
  client: Tollgate,
  subjectId: string,
  expectedState: string,
  isExpected: (sent: SentWebhook) => boolean,
): Promise<void> {
  let sentWebhooks: readonly SentWebhook[] = [];
  for (const untilMs = Date.now() + deliveryTimeoutMs; Date.now() < untilMs; await pause(100)) {
    const { notifications = [] } = await client.tollgate.inquiryNotifications({ subjectId });
    sentWebhooks = notifications.map(({ notificationStatus, attempts }) => ({
      status: notificationStatus,
      attempts,
    }));
    if (sentWebhooks.some(isExpected)) return;
  }
  throw new Error(`The webhook of ${subjectId} was not ${expectedState}: ${JSON.stringify(sentWebhooks)}`);
}

const deliveryTimeoutMs = 20_000;
