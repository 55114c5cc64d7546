import assert from "node:assert/strict";
import { call, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";

/** A complete `createPaymentSession` request. */
export function sessionRequest(paymentRequestId: string, more: object = {}): object {
  const amount = { currency: "EUR", value: "1250" };
  return {
    productCode: "CASHIER_PAYMENT",
    productScene: "CHECKOUT_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentRedirectUrl: "https://shop.example/thanks",
    ...more,
  };
}

/** A merchant's system that uses one gateway. */
export interface MerchantClient {
  request(path: string, request: object): Promise<ReceivedAnswer>;
  codeOf(path: string, request: object): Promise<string>;
  /** The response to an inquiry, once the payment has this status. */
  waitForStatus(paymentRequestId: string, status: string): Promise<ReceivedAnswer>;
}

export function newMerchantClient(url: string, merchant: TestMerchant): MerchantClient {
  const ask = (path: string, request: object): Promise<ReceivedAnswer> =>
    call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(request) });
  return {
    request: ask,
    codeOf: async (path, request) => (await ask(path, request)).json.result["resultCode"] ?? "",
    waitForStatus: (paymentRequestId, status) =>
      eventually(
        15_000,
        () => ask("payments/inquiryPayment", { paymentRequestId }),
        ({ json }) => json["paymentStatus"] === status,
      ),
  };
}

/** A new session. */
export interface OpenedSession {
  readonly id: string;
  readonly paymentId: string;
  readonly pageUrl: string;
  readonly request: object;
  readonly answer: ReceivedAnswer;
}

let count = 0;

export async function openSession(client: MerchantClient, more: object = {}): Promise<OpenedSession> {
  count += 1;
  const id = `session-${count}`;
  const request = sessionRequest(id, more);
  const answer = await client.request("payments/createPaymentSession", request);
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  const { paymentSessionId, normalUrl } = answer.json;
  return { id, paymentId: String(paymentSessionId), pageUrl: String(normalUrl), request, answer };
}

/** Offers only these methods. */
export function offerMethods(...types: readonly string[]): object {
  const paymentMethodTypeList = types.map((paymentMethodType) => ({ paymentMethodType }));
  return { availablePaymentMethod: { paymentMethodTypeList } };
}

/** The heading of a session's page, and the methods that can be chosen. */
export async function readCheckoutPage(
  url: string,
): Promise<{ readonly heading: string; readonly methods: readonly string[]; readonly text: string }> {
  const answer = await fetch(url);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const heading = /<h1[^>]*>([^<]*)</.exec(text)?.[1] ?? "";
  const buttons = [...text.matchAll(/<button\s[^>]*?value="([^"]*)"([^>]*)>/g)];
  const methods = buttons.flatMap(([, method = "", more = ""]) =>
    more.includes("disabled") ? [] : [method],
  );
  return { heading, methods, text };
}

/** Heading of a page whose order is at the provider, with the provider's name. */
export const readyHeading = /^Pay with /;

export function waitForHeading(
  url: string,
  heading: string | RegExp,
  timeoutMs = 15_000,
): ReturnType<typeof readCheckoutPage> {
  return eventually(
    timeoutMs,
    () => readCheckoutPage(url),
    (shown) => (typeof heading === "string" ? shown.heading === heading : heading.test(shown.heading)),
  );
}

export function chooseMethod(url: string, paymentMethodType: string): Promise<Response> {
  return sendForm(url, { paymentMethodType });
}

/** Asks for another payment method. */
export function requestMethodChange(url: string): Promise<Response> {
  return sendForm(url, { change: "yes" });
}

/** Submits the form of the page as a browser does, without following the redirect. */
function sendForm(url: string, form: Record<string, string>): Promise<Response> {
  return fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
}
