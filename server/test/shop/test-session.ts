import assert from "node:assert/strict";
import { call, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";

/** A request of `createPaymentSession` that lacks nothing. */
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

/** A merchant's system that speaks to one gateway. */
export interface Asking {
  ask(path: string, request: object): Promise<ReceivedAnswer>;
  codeOf(path: string, request: object): Promise<string>;
  /** The answer to an inquiry, once the payment stands so. */
  untilStatus(paymentRequestId: string, status: string): Promise<ReceivedAnswer>;
}

export function asMerchant(url: string, merchant: TestMerchant): Asking {
  const ask = (path: string, request: object): Promise<ReceivedAnswer> =>
    call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(request) });
  return {
    ask,
    codeOf: async (path, request) => (await ask(path, request)).json.result["resultCode"] ?? "",
    untilStatus: (paymentRequestId, status) =>
      eventually(
        15_000,
        () => ask("payments/inquiryPayment", { paymentRequestId }),
        ({ json }) => json["paymentStatus"] === status,
      ),
  };
}

/** A session that was just opened. */
export interface OpenedSession {
  readonly id: string;
  readonly paymentId: string;
  readonly pageUrl: string;
  readonly request: object;
  readonly answer: ReceivedAnswer;
}

let count = 0;

export async function openSession({ ask }: Asking, more: object = {}): Promise<OpenedSession> {
  count += 1;
  const id = `session-${count}`;
  const request = sessionRequest(id, more);
  const answer = await ask("payments/createPaymentSession", request);
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  const { paymentSessionId, normalUrl } = answer.json;
  return { id, paymentId: String(paymentSessionId), pageUrl: String(normalUrl), request, answer };
}

/** Offers these methods only. */
export function offering(...types: readonly string[]): object {
  const paymentMethodTypeList = types.map((paymentMethodType) => ({ paymentMethodType }));
  return { availablePaymentMethod: { paymentMethodTypeList } };
}

/** What the page of a session shows: its heading, and the methods that can be chosen. */
export async function shownOn(
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

/** The order stands at the wallet, which the page names. */
export const readyHeading = /^Pay with /;

export function untilHeading(
  url: string,
  heading: string | RegExp,
  timeoutMs = 15_000,
): ReturnType<typeof shownOn> {
  return eventually(
    timeoutMs,
    () => shownOn(url),
    (shown) => (typeof heading === "string" ? shown.heading === heading : heading.test(shown.heading)),
  );
}

export function chooseOn(url: string, paymentMethodType: string): Promise<Response> {
  return sendForm(url, { paymentMethodType });
}

/** Wants another wallet. */
export function changeOn(url: string): Promise<Response> {
  return sendForm(url, { change: "yes" });
}

/** As a browser sends the form of the page, without following where it leads. */
function sendForm(url: string, form: Record<string, string>): Promise<Response> {
  return fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
}
