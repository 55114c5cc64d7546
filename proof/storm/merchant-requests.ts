import { setTimeout as waitMs } from "node:timers/promises";
import type { AnswerWithBody, Caller } from "../trial/caller.ts";
import type { History, Verb } from "../oracle/history.ts";
import type { Installation, Merchant } from "../installation/installation.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import type { ProviderProcess } from "../installation/provider-process.ts";

/** The environment of a journey. */
export interface StormEnvironment {
  readonly installation: Installation;
  readonly caller: Caller;
  readonly history: History;
  readonly notifyUrl: string;
  readonly nowMs: () => number;
  /** Returns false when all journeys must end. */
  readonly isActive: () => boolean;
}

/** A buyer, a merchant and one payment between them. */
export interface PaymentContext {
  readonly environment: StormEnvironment;
  readonly random: Random;
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  readonly currency: string;
  readonly minor: number;
  readonly isManual: boolean;
  /** The buyer's payment method; in a session, the buyer's first choice. */
  readonly method: string;
}

const retryDelaysMs = [200, 500, 1_000, 2_000, 3_000];
const attemptsMax = 12;
const controlAttemptsMax = 4;

/** A request of a merchant, which can be retried. */
export interface MerchantRequest {
  readonly verb: Verb;
  readonly requestId: string;
  readonly body: object;
  readonly consent?: string;
}

/**
 * Sends duplicates: the same request one to five times, at random moments, to both serving processes. Returns the
 * response to the first.
 */
export async function sendDuplicates(
  context: PaymentContext,
  request: MerchantRequest,
): Promise<AnswerWithBody | undefined> {
  const { random, environment } = context;
  const first = sendWithRetries(context, request);
  const sendCount = random.pick([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5]);
  const duplicates = Array.from({ length: sendCount - 1 }, async () => {
    await waitMs(random.chance(0.3) ? 0 : random.between(1, 3_000));
    if (environment.isActive()) await sendOnce(context, request);
  });
  // The duplicates continue in the background, and the caller waits only for the response to the first request.
  void Promise.all(duplicates);
  return first;
}

/** Retries until the response is more than a retry hint, like any client library. */
export async function sendWithRetries(
  context: PaymentContext,
  request: MerchantRequest,
): Promise<AnswerWithBody | undefined> {
  let answer: AnswerWithBody | undefined;
  for (let tries = 0; tries < attemptsMax && context.environment.isActive(); tries += 1) {
    answer = await sendOnce(context, request);
    if (answer && !isRetryable(answer)) return answer;
    await waitForRetry(tries);
  }
  return answer;
}

/**
 * Returns whether a retry is useful: the outcome is unknown, or the gateway recorded nothing because the provider was
 * unreachable.
 */
function isRetryable({ id, resultStatus, resultCode }: AnswerWithBody): boolean {
  return id === undefined && (resultStatus === "U" || resultCode === "UNAVAILABLE_PAYMENT_METHOD");
}

function sendOnce(
  { environment, random, merchant }: PaymentContext,
  request: MerchantRequest,
): Promise<AnswerWithBody | undefined> {
  const { port } = random.pick(environment.installation.proxies.merchantsToServe);
  return environment.caller.call({ ...request, merchant, port });
}

/** Polls the inquiry until the condition is true or can no longer become true; returns the last response. */
export function pollPayment(
  context: PaymentContext,
  isMet: (answer: AnswerWithBody) => boolean,
): Promise<AnswerWithBody | undefined> {
  const { paymentRequestId: requestId } = context;
  const request = { verb: "inquiryPayment", requestId, body: { paymentRequestId: requestId } } as const;
  return sendUntil(context, request, (answer) => isMet(answer) || isFinal(answer));
}

/** Repeats a request until its response meets the condition; undefined if no response does. */
export async function sendUntil(
  context: PaymentContext,
  request: MerchantRequest,
  isMet: (answer: AnswerWithBody) => boolean,
): Promise<AnswerWithBody | undefined> {
  for (let tries = 0; tries < attemptsMax && context.environment.isActive(); tries += 1) {
    await waitForRetry(tries);
    const answer = await sendOnce(context, request);
    if (answer && isMet(answer)) return answer;
  }
  return undefined;
}

function isFinal({ recordStatus }: AnswerWithBody): boolean {
  return recordStatus === "SUCCESS" || recordStatus === "FAIL" || recordStatus === "CANCELLED";
}

async function waitForRetry(tries: number): Promise<void> {
  await waitMs(retryDelaysMs[Math.min(tries, retryDelaysMs.length - 1)] ?? 0);
}

/**
 * An action of the buyer at a provider; returns whether the provider allowed it. The provider waits until an order in
 * transit has arrived.
 */
export async function controlProvider(
  context: PaymentContext,
  provider: ProviderProcess,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  for (let tries = 0; tries < controlAttemptsMax && context.environment.isActive(); tries += 1) {
    const answer = await provider.callControl(`/control/${path}`, body).catch(() => undefined);
    if (answer) return answer.status === 200 ? answer.json : undefined;
    await waitMs(500);
  }
  return undefined;
}
