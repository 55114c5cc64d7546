import type { KeyObject } from "node:crypto";
import type { Message } from "../../../../clients/typescript/src/signing.ts";
import {
  isAcknowledgingAnswer,
  explainMissingAcknowledgement,
} from "../../../../server/src/notifications/delivery-attempt.ts";
import { ensure, NotObservable, UnmetRequirement } from "../conformance-case.ts";
import { sendRequest, type Answer, type OutgoingRequest } from "../send-request.ts";
import { signHeaders, type Signer } from "../signer.ts";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";

/** A merchant's endpoint, and the observable state of the shop behind it. */
export interface ReceiverContext {
  readonly url: URL;
  readonly signer: Signer;
  /** A key that the receiver does not know, to sign forged webhooks. */
  readonly unknownKey: KeyObject;
  /** The shop's address that returns the status of an order. */
  readonly ordersUrl: URL | undefined;
  /** All responses of the receiver. The last cases examine them. */
  readonly answers: Answer[];
  /** HTTP statuses of the responses to forged webhooks. */
  readonly forgedStatuses: number[];
}

/** Differences from the gateway's way to send a webhook. */
export interface PostOptions extends Partial<Pick<OutgoingRequest, "method" | "drip" | "cut" | "timeoutMs">> {
  /** Fields that are different in the signed text than in the sent message. */
  readonly signed?: Partial<Message>;
  readonly signer?: Signer;
  /** Headers that replace the usual headers: undefined omits a header, and two values send a header twice. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Text that is added to the query of the receiver's address. */
  readonly query?: string;
}

/** Posts a webhook as the gateway does, with the changes in `options`. */
export async function postWebhook(
  context: ReceiverContext,
  body: object | string | Uint8Array,
  options: PostOptions = {},
): Promise<Answer> {
  const { signed, signer = context.signer, headers, query, ...requestOptions } = options;
  const path = context.url.pathname + appendQuery(context.url.search, query);
  const bytes = toBytes(body);
  const allHeaders = {
    "content-type": "application/json; charset=UTF-8",
    ...signHeaders(signer, { path, body: bytes, ...signed }),
    ...headers,
  };
  const pairs = Object.entries(allHeaders).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((each) => [name, each] as const),
  );
  const answer = await sendRequest(context.url, { ...requestOptions, path, headers: pairs, body: bytes });
  context.answers.push(answer);
  return answer;
}

export function toBytes(body: object | string | Uint8Array): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8");
}

function appendQuery(search: string, query: string | undefined): string {
  if (query === undefined) return search;
  return search === "" ? `?${query}` : `${search}&${query}`;
}

/** Requires a response that the gateway counts as acknowledged. */
export function requireAcknowledged(answer: Answer): void {
  ensure(
    isAcknowledgingAnswer(answer.status, answer.text),
    `It answered ${explainMissingAcknowledgement(answer.status, answer.text)}${excerptOf(answer)}`,
  );
}

/** Requires a response that does not count as acknowledged. */
export function requireNotAcknowledged(answer: Answer): void {
  ensure(!isAcknowledgingAnswer(answer.status, answer.text), "It was acknowledged with 200 and S.");
}

function excerptOf({ text }: Answer): string {
  const start = text.slice(0, 80).replaceAll(/\s+/g, " ").trim();
  return start === "" ? "." : `: ${start}`;
}

/** An order of the shop. */
export interface Order {
  readonly status: string;
  /** The number of webhooks that have changed the order; undefined if the shop does not count them. */
  readonly changes: number | undefined;
}

/** Creates a new order that the shop knows, if it can be registered there. */
export async function newOrder(context: ReceiverContext): Promise<string> {
  const paymentRequestId = newRequestId("conform");
  if (context.ordersUrl) await fetchOrder(context, paymentRequestId);
  return paymentRequestId;
}

/** Returns the order's status from the shop, which creates an unknown order. */
export async function fetchOrder(context: ReceiverContext, paymentRequestId: string): Promise<Order> {
  if (!context.ordersUrl)
    throw new NotObservable(
      "the effect on an order can not be observed from outside; --orders-url URL shows it.",
    );
  const { pathname, search } = context.ordersUrl;
  const { status, text } = await sendRequest(context.ordersUrl, {
    path: pathname + search,
    headers: [["content-type", "application/json"]],
    body: toBytes({ paymentRequestId }),
  });
  const fields = status === 200 ? parseObject(text) : undefined;
  if (typeof fields?.["status"] !== "string")
    throw new UnmetRequirement(
      `The address of --orders-url answered ${status}, without a status: ${text.slice(0, 80)}`,
    );
  const { status: state, changes } = fields;
  return { status: state, changes: typeof changes === "number" ? changes : undefined };
}

export async function requireOrderStatus(
  context: ReceiverContext,
  paymentRequestId: string,
  ...allowed: string[]
): Promise<void> {
  const { status } = await fetchOrder(context, paymentRequestId);
  ensure(allowed.includes(status), `The order is ${status}, and not ${allowed.join(" or ")}.`);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
