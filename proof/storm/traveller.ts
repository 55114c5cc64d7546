import { setTimeout as waitMs } from "node:timers/promises";
import type { Answered, Caller } from "../trial/caller.ts";
import type { History, Verb } from "../oracle/history.ts";
import type { Installation, Merchant } from "../installation/installation.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import type { WalletProcess } from "../installation/provider-process.ts";

/** The environment of a journey. */
export interface World {
  readonly installation: Installation;
  readonly caller: Caller;
  readonly history: History;
  readonly notifyUrl: string;
  readonly nowMs: () => number;
  /** Returns false when all journeys must end. */
  readonly goesOn: () => boolean;
}

/** A buyer, a merchant and one payment between them. */
export interface Traveller {
  readonly world: World;
  readonly random: Random;
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  readonly currency: string;
  readonly minor: number;
  readonly isManual: boolean;
  /** The buyer's payment method; in a session, the buyer's first choice. */
  readonly method: string;
}

const tryAgainMs = [200, 500, 1_000, 2_000, 3_000];
const triesMax = 12;
const controlTriesMax = 4;

/** A request of a merchant, which can be retried. */
export interface Question {
  readonly verb: Verb;
  readonly requestId: string;
  readonly body: object;
  readonly consent?: string;
}

/**
 * Sends duplicates: the same request one to five times, at random moments, to both serving processes. Returns the
 * response to the first.
 */
export async function repeatedly(traveller: Traveller, question: Question): Promise<Answered | undefined> {
  const { random, world } = traveller;
  const first = send(traveller, question);
  const times = random.pick([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5]);
  const others = Array.from({ length: times - 1 }, async () => {
    await waitMs(random.chance(0.3) ? 0 : random.between(1, 3_000));
    if (world.goesOn()) await once(traveller, question);
  });
  // The duplicates continue in the background, and the caller waits only for the response to the first request.
  void Promise.all(others);
  return first;
}

/** Retries until the response is more than a retry hint, like any client library. */
export async function send(traveller: Traveller, question: Question): Promise<Answered | undefined> {
  let answer: Answered | undefined;
  for (let tries = 0; tries < triesMax && traveller.world.goesOn(); tries += 1) {
    answer = await once(traveller, question);
    if (answer && !isWorthAnotherTry(answer)) return answer;
    await waitBefore(tries);
  }
  return answer;
}

/**
 * Returns whether a retry is useful: the outcome is unknown, or the gateway recorded nothing because the provider was
 * unreachable.
 */
function isWorthAnotherTry({ id, resultStatus, resultCode }: Answered): boolean {
  return id === undefined && (resultStatus === "U" || resultCode === "UNAVAILABLE_PAYMENT_METHOD");
}

function once({ world, random, merchant }: Traveller, question: Question): Promise<Answered | undefined> {
  const { port } = random.pick(world.installation.lines.merchantsToServe);
  return world.caller.call({ ...question, merchant, port });
}

/** Polls the inquiry until the condition is true or can no longer become true; returns the last response. */
export async function inquireUntil(
  traveller: Traveller,
  isSo: (answer: Answered) => boolean,
): Promise<Answered | undefined> {
  const { paymentRequestId: requestId } = traveller;
  const question = { verb: "inquiryPayment", requestId, body: { paymentRequestId: requestId } } as const;
  for (let tries = 0; tries < triesMax && traveller.world.goesOn(); tries += 1) {
    await waitBefore(tries);
    const answer = await once(traveller, question);
    if (answer && (isSo(answer) || isOver(answer))) return answer;
  }
  return undefined;
}

function isOver({ recordStatus }: Answered): boolean {
  return recordStatus === "SUCCESS" || recordStatus === "FAIL" || recordStatus === "CANCELLED";
}

async function waitBefore(tries: number): Promise<void> {
  await waitMs(tryAgainMs[Math.min(tries, tryAgainMs.length - 1)] ?? 0);
}

/**
 * An action of the buyer at a provider; returns whether the provider allowed it. The provider waits until an order in
 * transit has arrived.
 */
export async function control(
  traveller: Traveller,
  provider: WalletProcess,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  for (let tries = 0; tries < controlTriesMax && traveller.world.goesOn(); tries += 1) {
    const answer = await provider.ask(`/control/${path}`, body).catch(() => undefined);
    if (answer) return answer.status === 200 ? answer.json : undefined;
    await waitMs(500);
  }
  return undefined;
}
