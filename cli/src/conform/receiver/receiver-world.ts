import type { KeyObject } from "node:crypto";
import type { Message } from "../../../../clients/typescript/src/signing.ts";
import { acknowledges, whyNotAcknowledged } from "../../../../server/src/notifications/attempt.ts";
import { demand, NotSeen, Unmet } from "../case.ts";
import { exchange, type Answer, type Sent } from "../exchange.ts";
import { signedHeaders, type Signer } from "../signer.ts";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";

/** A merchant's endpoint, and the observable state of the shop behind it. */
export interface ReceiverWorld {
  readonly url: URL;
  readonly signer: Signer;
  /** A key that the receiver does not know, to sign forged webhooks. */
  readonly otherKey: KeyObject;
  /** The shop's address that returns the status of an order. */
  readonly ordersUrl: URL | undefined;
  /** All responses of the receiver. The last cases examine them. */
  readonly answers: Answer[];
  /** HTTP statuses of the responses to forged webhooks. */
  readonly forgedStatuses: number[];
}

/** Differences from the gateway's way to send a webhook. */
export interface Posting extends Partial<Pick<Sent, "method" | "drip" | "cut" | "timeoutMs">> {
  /** Fields that are different in the signed text than in the sent message. */
  readonly signed?: Partial<Message>;
  readonly signer?: Signer;
  /** Headers that replace the usual headers: undefined omits a header, and two values send a header twice. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Text that is added to the query of the receiver's address. */
  readonly query?: string;
}

/** Posts a webhook as the gateway does, with the changes in `posting`. */
export async function post(
  world: ReceiverWorld,
  body: object | string | Uint8Array,
  posting: Posting = {},
): Promise<Answer> {
  const { signed, signer = world.signer, headers, query, ...how } = posting;
  const path = world.url.pathname + withQuery(world.url.search, query);
  const bytes = bytesOf(body);
  const all = {
    "content-type": "application/json; charset=UTF-8",
    ...signedHeaders(signer, { path, body: bytes, ...signed }),
    ...headers,
  };
  const pairs = Object.entries(all).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((each) => [name, each] as const),
  );
  const answer = await exchange(world.url, { ...how, path, headers: pairs, body: bytes });
  world.answers.push(answer);
  return answer;
}

export function bytesOf(body: object | string | Uint8Array): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8");
}

function withQuery(search: string, query: string | undefined): string {
  if (query === undefined) return search;
  return search === "" ? `?${query}` : `${search}&${query}`;
}

/** Requires a response that the gateway counts as acknowledged. */
export function demandAcknowledged(answer: Answer): void {
  demand(
    acknowledges(answer.status, answer.text),
    `It answered ${whyNotAcknowledged(answer.status, answer.text)}${shown(answer)}`,
  );
}

/** Requires a response that does not count as acknowledged. */
export function demandNotAcknowledged(answer: Answer): void {
  demand(!acknowledges(answer.status, answer.text), "It was acknowledged with 200 and S.");
}

function shown({ text }: Answer): string {
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
export async function newOrder(world: ReceiverWorld): Promise<string> {
  const paymentRequestId = newRequestId("conform");
  if (world.ordersUrl) await orderOf(world, paymentRequestId);
  return paymentRequestId;
}

/** Returns the order's status from the shop, which creates an unknown order. */
export async function orderOf(world: ReceiverWorld, paymentRequestId: string): Promise<Order> {
  if (!world.ordersUrl)
    throw new NotSeen("the effect on an order can not be observed from outside; --orders-url URL shows it.");
  const { pathname, search } = world.ordersUrl;
  const { status, text } = await exchange(world.ordersUrl, {
    path: pathname + search,
    headers: [["content-type", "application/json"]],
    body: bytesOf({ paymentRequestId }),
  });
  const told = status === 200 ? objectIn(text) : undefined;
  if (typeof told?.["status"] !== "string")
    throw new Unmet(`The address of --orders-url answered ${status}, without a status: ${text.slice(0, 80)}`);
  const { status: state, changes } = told;
  return { status: state, changes: typeof changes === "number" ? changes : undefined };
}

export async function demandOrder(
  world: ReceiverWorld,
  paymentRequestId: string,
  ...allowed: string[]
): Promise<void> {
  const { status } = await orderOf(world, paymentRequestId);
  demand(allowed.includes(status), `The order is ${status}, and not ${allowed.join(" or ")}.`);
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
