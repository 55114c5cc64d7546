import type { Book } from "./book.ts";
import type { Line } from "./effect.ts";
import type { Partner } from "./keys.ts";
import { orderOnTheWire, type Order } from "./order.ts";
import type { Wallet } from "./wallet.ts";
import { isFresh, wireTime } from "./wire-time.ts";

const attemptsAtOnceMax = 64;
const answerTimeoutMs = 10_000;
const answerBytesMax = 64 * 1024;

/** Something that the gateway has to be told: an order, as it was after one change. */
interface Callback {
  readonly eventId: string;
  readonly order: Order;
  readonly attempts: number;
}

/** Tells the gateway what has become of its orders, again and again until it says that it knows. */
export interface Callbacks {
  /** Takes a line of the journal, an old one or a new one, and what it means for what is owed. */
  readonly onLine: (line: Line, book: Book) => void;
  /** Begins to deliver, with what earlier starts have left undone. */
  start(wallet: Wallet): void;
  stop(): void;
}

export interface CallbackOptions {
  readonly partner: Partner;
  /** How long to wait before each attempt; the last one goes on for ever. */
  readonly gapsMs: readonly number[];
  readonly log: (message: string) => void;
}

export function newCallbacks({ partner, gapsMs, log }: CallbackOptions): Callbacks {
  const owed = new Map<string, Callback>();
  const due: string[] = [];
  const timers = new Map<string, NodeJS.Timeout>();
  let wallet: Wallet | undefined;
  let attemptsAtOnce = 0;

  function schedule({ eventId, attempts }: Callback): void {
    const gapMs = gapsMs[Math.min(attempts, gapsMs.length - 1)] ?? 0;
    const timer = setTimeout(() => {
      timers.delete(eventId);
      due.push(eventId);
      pump();
    }, gapMs);
    timers.set(eventId, timer);
  }

  function pump(): void {
    while (attemptsAtOnce < attemptsAtOnceMax) {
      const eventId = due.shift();
      if (eventId === undefined || !wallet) return;
      const callback = owed.get(eventId);
      if (callback) void attempt(wallet, callback);
    }
  }

  async function attempt(open: Wallet, before: Callback): Promise<void> {
    attemptsAtOnce += 1;
    const callback = { ...before, attempts: before.attempts + 1 };
    const problem = await deliver(open, partner, callback).catch(explain);
    attemptsAtOnce -= 1;
    if (!wallet) return;
    if (problem !== undefined && owed.has(callback.eventId)) {
      log(`callback ${callback.eventId}, attempt ${callback.attempts}: ${problem}`);
      owed.set(callback.eventId, callback);
      schedule(callback);
    }
    pump();
  }

  return {
    onLine(line, book) {
      if (line.kind === "callback") owed.delete(line.eventId);
      if (!isStateChange(line)) return;
      const order = book.orderById(line.walletOrderId);
      if (!order) return;
      const callback = { eventId: `${order.walletOrderId}-${order.sequence}`, order, attempts: 0 };
      owed.set(callback.eventId, callback);
      if (wallet) schedule(callback);
    },
    start(open) {
      wallet = open;
      for (const callback of owed.values()) schedule(callback);
    },
    stop() {
      wallet = undefined;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/** Why the gateway does not know of it yet, or undefined when it does, and that is written down. */
async function deliver(wallet: Wallet, partner: Partner, callback: Callback): Promise<string | undefined> {
  const { eventId, order, attempts } = callback;
  const { reference, paymentId, walletOrderId, sequence } = order;
  // The gateway must not learn of what a crash could still undo.
  await wallet.journal.onDisk();
  const occasion = { verb: "callback", reference, paymentId } as const;
  if (wallet.faults.take(["callback-drop"], occasion)) return "lost on the way, by order of a test";
  const isWrong = wallet.faults.take(["callback-amount"], occasion) !== undefined;
  const isTwice = wallet.faults.take(["callback-twice"], occasion) !== undefined;

  const body = callbackBody(wallet, eventId, isWrong ? withWrongAmount(order) : order);
  const done = {
    kind: "callback",
    eventId,
    reference,
    paymentId,
    walletOrderId,
    sequence,
    attempts,
  } as const;
  for (let time = 0; time < (isTwice ? 2 : 1); time += 1) {
    const problem = await post(wallet, partner, order.callbackUrl, body);
    if (problem !== undefined) return problem;
    wallet.record(done);
  }
  return undefined;
}

/** One signed message. It has arrived when the gateway says so under its own signature. */
async function post(
  wallet: Wallet,
  { partnerId, keys }: Partner,
  callbackUrl: string,
  body: Buffer,
): Promise<string | undefined> {
  const url = new URL(callbackUrl);
  const message = { path: url.pathname + url.search, clientId: partnerId };
  const time = wireTime(wallet.now());
  const response = await fetch(url, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(answerTimeoutMs),
    body: new Uint8Array(body),
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "client-id": partnerId,
      "request-time": time,
      signature: await keys.sign({ ...message, time, body }),
    },
  });
  const answer = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return `HTTP ${response.status}`;
  if (answer.length > answerBytesMax) return "the answer is too long";
  const responseTime = response.headers.get("response-time") ?? "";
  const signature = response.headers.get("signature") ?? "";
  if (!keys.isFromGateway({ ...message, time: responseTime, body: answer }, signature))
    return "the answer is not signed by the gateway";
  if (!isFresh(responseTime, wallet.now())) return "the answer is not of now";
  const { result } = JSON.parse(answer.toString("utf8")) as { result?: Record<string, unknown> };
  return result?.["resultStatus"] === "S" ? undefined : `it answered ${String(result?.["resultCode"])}`;
}

function callbackBody({ pageUrl }: Wallet, eventId: string, order: Order): Buffer {
  const content = { eventId, reference: order.reference, order: orderOnTheWire(order, pageUrl) };
  return Buffer.from(JSON.stringify(content), "utf8");
}

function withWrongAmount(order: Order): Order {
  const { currency, value } = order.amount;
  const amount = { currency, value: String(BigInt(value) + 1n) };
  return { ...order, amount, ...(order.paidAmount && { paidAmount: amount }) };
}

function isStateChange(line: Line): line is Line & { readonly walletOrderId: string } {
  return ["pending", "authorized", "paid", "declined", "closed"].includes(line.kind);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
