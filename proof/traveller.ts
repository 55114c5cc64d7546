import { setTimeout as waitMs } from "node:timers/promises";
import type { Answered, Caller } from "./caller.ts";
import type { History, Verb } from "./history.ts";
import type { Installation, Merchant } from "./installation.ts";
import type { Random } from "./random.ts";
import type { WalletProcess } from "./wallet-process.ts";

/** What a journey needs of the world around it. */
export interface World {
  readonly installation: Installation;
  readonly caller: Caller;
  readonly history: History;
  readonly notifyUrl: string;
  readonly nowMs: () => number;
  /** False once everybody has to come to an end. */
  readonly goesOn: () => boolean;
}

/** A buyer and a merchant with one payment between them. */
export interface Traveller {
  readonly world: World;
  readonly random: Random;
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  readonly currency: string;
  readonly minor: number;
  readonly isManual: boolean;
  /** What the buyer pays with; of a session, what the buyer chooses first. */
  readonly method: string;
}

const tryAgainMs = [200, 500, 1_000, 2_000, 3_000];
const triesMax = 12;
const controlTriesMax = 4;

/** Something that a merchant asks for, and can ask for again. */
export interface Question {
  readonly verb: Verb;
  readonly requestId: string;
  readonly body: object;
  readonly consent?: string;
}

/** The same request from one to five times, at random moments and over both doors; gives what the first came to. */
export async function repeatedly(traveller: Traveller, question: Question): Promise<Answered | undefined> {
  const { random, world } = traveller;
  const first = send(traveller, question);
  const times = random.pick([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5]);
  const others = Array.from({ length: times - 1 }, async () => {
    await waitMs(random.chance(0.3) ? 0 : random.between(1, 3_000));
    if (world.goesOn()) await once(traveller, question);
  });
  // They go their own way; whoever asked waits for the first only.
  void Promise.all(others);
  return first;
}

/** Asks until there is an answer that says more than "ask again", as any client library would. */
export async function send(traveller: Traveller, question: Question): Promise<Answered | undefined> {
  let answer: Answered | undefined;
  for (let tries = 0; tries < triesMax && traveller.world.goesOn(); tries += 1) {
    answer = await once(traveller, question);
    if (answer && !isWorthAnotherTry(answer)) return answer;
    await waitBefore(tries);
  }
  return answer;
}

/** Nobody knows, or nothing was recorded because the wallet could not be reached. */
function isWorthAnotherTry({ id, resultStatus, resultCode }: Answered): boolean {
  return id === undefined && (resultStatus === "U" || resultCode === "UNAVAILABLE_PAYMENT_METHOD");
}

function once({ world, random, merchant }: Traveller, question: Question): Promise<Answered | undefined> {
  const { port } = random.pick(world.installation.lines.merchantsToServe);
  return world.caller.call({ ...question, merchant, port });
}

/** Inquires until it is so, or until it will not be any more; gives the last answer. */
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

/** What the buyer does at a wallet. Whether the wallet let it happen; it waits for an order that is on its way by itself. */
export async function control(
  traveller: Traveller,
  wallet: WalletProcess,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  for (let tries = 0; tries < controlTriesMax && traveller.world.goesOn(); tries += 1) {
    const answer = await wallet.ask(`/control/${path}`, body).catch(() => undefined);
    if (answer) return answer.status === 200 ? answer.json : undefined;
    await waitMs(500);
  }
  return undefined;
}
