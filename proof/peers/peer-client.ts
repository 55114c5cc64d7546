import { createPrivateKey, randomUUID } from "node:crypto";
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import { signatureInBackground } from "../../clients/typescript/src/signing.ts";
import type { SingleGateway } from "../installation/single-gateway.ts";

/** How payments are made with one product. */
export interface PaymentClient {
  /** Number of API requests of a merchant for one payment. */
  readonly calls: string;
  /** Payments per second that are prepared. It is higher than the product's rate, and the rest is not sent. */
  readonly preparedPerSecond: number;
  /** Prepares `count` payments. Each returned function makes one payment, and returns true if it was accepted. */
  prepare(count: number): Promise<readonly (() => Promise<boolean>)[]>;
  /** Returns a function that sends the same payment request with the same bytes each time. */
  identical(): Promise<() => Promise<Outcome>>;
}

export interface Outcome {
  readonly status: number;
  /** The payment id in the response. */
  readonly id: string | undefined;
  /** The complete response except times. */
  readonly responseText: string;
}

export interface Http {
  post(path: string, headers: OutgoingHttpHeaders, body: string): Promise<{ status: number; text: string }>;
  /** Whether the server responds. */
  isReachable(): Promise<boolean>;
}

export function newHttp(port: number): Http {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const post: Http["post"] = (path, headers, body) =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: "127.0.0.1", port, path, method: "POST", agent, headers },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      request.on("error", reject).end(body);
    });
  return {
    post,
    isReachable: () =>
      post("/v1/payment_intents", {}, "").then(
        () => true,
        () => false,
      ),
  };
}

/** A token of one alternative is valid for a limited number of calls. */
const callsPerToken = 2_000;

/** Payments with two calls: the first creates the payment, the second confirms it with a card. */
export async function newStripeClient({ post }: Http): Promise<PaymentClient> {
  let count = 0;
  const send = async (path: string, body: string, key: string = randomUUID()): Promise<Outcome> => {
    count += 1;
    const authorization = `Bearer sk_test_tollgate${Math.floor(count / callsPerToken)}`;
    const type = "application/x-www-form-urlencoded";
    const headers = { authorization, "content-type": type, "idempotency-key": key };
    const { status, text } = await post(
      `/v1/${path}`,
      { ...headers, "content-length": Buffer.byteLength(body) },
      body,
    );
    const json = parseObject(text) as { readonly id?: string };
    return { status, id: status < 300 ? json.id : undefined, responseText: text };
  };
  const card = "type=card&card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2030&card[cvc]=123";
  const { id: method = "pm_card_visa" } = await send("payment_methods", card);
  const intent = `amount=1250&currency=eur&payment_method_types[]=card&payment_method=${method}`;
  const pay = async (): Promise<boolean> => {
    const { id } = await send("payment_intents", intent);
    const confirmed = await send(`payment_intents/${id}/confirm`, "");
    return confirmed.status === 200;
  };
  return {
    calls: "2: create and confirm",
    preparedPerSecond: 10_000,
    prepare: async (paymentCount) => Array.from({ length: paymentCount }, () => pay),
    identical: async () => {
      const key = randomUUID();
      return () => send("payment_intents", intent, key);
    },
  };
}

/**
 * Payments with one signed call, after which the buyer pays at the provider. The calls are signed before the
 * measurement, because a merchant's system uses its own CPU.
 */
export function newTollgateClient({ port, merchants, privateKey }: SingleGateway): PaymentClient {
  const { post } = newHttp(port);
  const path = "/ams/sandbox/api/v1/payments/pay";
  const key = createPrivateKey(privateKey);
  const signPayment = async (index: number): Promise<() => Promise<Outcome>> => {
    const { clientId = "", keyVersion = 1 } = merchants[index % merchants.length] ?? {};
    const body = JSON.stringify(newPaymentBody(`peer-${randomUUID()}`));
    const time = String(Date.now());
    const signature = await signatureInBackground({ path, clientId, time, body }, key, keyVersion);
    const headers = {
      "content-type": "application/json; charset=UTF-8",
      "content-length": Buffer.byteLength(body),
      "client-id": clientId,
      "request-time": time,
      signature,
    };
    return async () => {
      const { status, text } = await post(path, headers, body);
      const json = parseObject(text) as {
        readonly paymentId?: string;
        readonly result?: { readonly resultCode: string };
      };
      const isAccepted = json.result?.resultCode === "PAYMENT_IN_PROCESS";
      return { status, id: isAccepted ? json.paymentId : undefined, responseText: text };
    };
  };
  return {
    calls: "1, and the buyer",
    preparedPerSecond: 1_500,
    async prepare(paymentCount) {
      const requests = await Promise.all(
        Array.from({ length: paymentCount }, (_, index) => signPayment(index)),
      );
      return requests.map((send) => async () => (await send()).id !== undefined);
    },
    identical: () => signPayment(0),
  };
}

function newPaymentBody(paymentRequestId: string): object {
  const amount = { currency: "EUR", value: "1250" };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
  };
}

function parseObject(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
