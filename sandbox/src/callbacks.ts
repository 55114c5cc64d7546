import type { Amount } from "./wallet/amount.ts";
import type { Authorization } from "./wallet/authorization.ts";
import type { WalletProjection } from "./wallet/wallet-projection.ts";
import { onTheWire } from "./wallet/change-authorization.ts";
import { disputeOnTheWire, type Dispute } from "./wallet/dispute.ts";
import type { Line } from "./wallet/effect.ts";
import type { Partner } from "./keys.ts";
import { readMoneyStep } from "./wallet/money-projection.ts";
import { moneyOnTheWire, type MoneyRecord } from "./wallet/money-record.ts";
import { orderOnTheWire, type Order } from "./wallet/order.ts";
import type { Wallet } from "./wallet/wallet.ts";
import { isFresh, wireTime } from "./wallet/wire-time.ts";

const concurrencyMax = 64;
const responseTimeoutMs = 10_000;
const responseBytesMax = 64 * 1024;

/** A pending callback to the gateway: the state of its subject after one change. */
type Callback = { readonly eventId: string; readonly attempts: number } & (
  | OrderReport
  | { readonly authorization: Authorization }
);

/** The report about an order, or about a dispute, a capture or a refund of it. */
interface OrderReport {
  readonly order: Order;
  readonly dispute?: Dispute;
  readonly money?: MoneyRecord;
}

/** Delivers callbacks at least once: retries each until the gateway confirms it. */
export interface Callbacks {
  /** Updates the pending callbacks from a line of the journal, also for lines that are replayed at the start. */
  readonly onLine: (line: Line, projection: WalletProjection) => void;
  /** Starts the deliveries, including those that earlier starts did not complete. */
  start(wallet: Wallet): void;
  stop(): void;
}

export interface CallbackOptions {
  readonly partner: Partner;
  /** The pauses before the attempts (backoff). The last pause repeats without limit. */
  readonly pausesMs: readonly number[];
  readonly log: (message: string) => void;
}

export function newCallbacks({ partner, pausesMs, log }: CallbackOptions): Callbacks {
  const pendingCallbacks = new Map<string, Callback>();
  const dueEventIds: string[] = [];
  const timers = new Map<string, NodeJS.Timeout>();
  let wallet: Wallet | undefined;
  let runningAttempts = 0;

  function schedule({ eventId, attempts }: Callback): void {
    const gapMs = pausesMs[Math.min(attempts, pausesMs.length - 1)] ?? 0;
    const timer = setTimeout(() => {
      timers.delete(eventId);
      dueEventIds.push(eventId);
      startAttempts();
    }, gapMs);
    timers.set(eventId, timer);
  }

  function startAttempts(): void {
    while (runningAttempts < concurrencyMax) {
      const eventId = dueEventIds.shift();
      if (eventId === undefined || !wallet) return;
      const callback = pendingCallbacks.get(eventId);
      if (callback) void attempt(wallet, callback);
    }
  }

  async function attempt(runningWallet: Wallet, before: Callback): Promise<void> {
    runningAttempts += 1;
    const callback = { ...before, attempts: before.attempts + 1 };
    const problem = await deliver(runningWallet, partner, callback).catch(describeError);
    runningAttempts -= 1;
    if (!wallet) return;
    if (problem !== undefined && pendingCallbacks.has(callback.eventId)) {
      log(`callback ${callback.eventId}, attempt ${callback.attempts}: ${problem}`);
      pendingCallbacks.set(callback.eventId, callback);
      schedule(callback);
    }
    startAttempts();
  }

  return {
    onLine(line, projection) {
      if (line.kind === "callback" || line.kind === "authorization-callback")
        pendingCallbacks.delete(line.eventId);
      const callback = callbackFor(line, projection);
      if (!callback) return;
      pendingCallbacks.set(callback.eventId, callback);
      if (wallet) schedule(callback);
    },
    start(runningWallet) {
      wallet = runningWallet;
      for (const callback of pendingCallbacks.values()) schedule(callback);
    },
    stop() {
      wallet = undefined;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/**
 * Makes one delivery attempt. Returns why the attempt failed, or undefined when the gateway has confirmed and the
 * journal contains the confirmation.
 */
async function deliver(wallet: Wallet, partner: Partner, callback: Callback): Promise<string | undefined> {
  if ("authorization" in callback) return deliverAuthorization(wallet, partner, callback);
  const { eventId, order, dispute, money, attempts } = callback;
  const { reference, paymentId, providerOrderId } = order;
  const { sequence } = money ?? dispute ?? order;
  // The change must be durable first, because the gateway must not learn of a change that a crash could undo.
  await wallet.journal.onDisk();
  const occasion = { verb: "callback", reference, paymentId } as const;
  if (wallet.faults.take(["callback-drop"], occasion))
    return "lost in transit, because a test injected this fault";
  const isWrong = wallet.faults.take(["callback-amount"], occasion) !== undefined;
  const isTwice = wallet.faults.take(["callback-twice"], occasion) !== undefined;

  const report = reportOf(wallet, callback, isWrong);
  const body = Buffer.from(JSON.stringify({ eventId, reference, ...report }), "utf8");
  const deliveredEffect = {
    kind: "callback",
    eventId,
    reference,
    paymentId,
    providerOrderId,
    sequence,
    attempts,
  } as const;
  for (let time = 0; time < (isTwice ? 2 : 1); time += 1) {
    const problem = await postSigned(wallet, partner, order.callbackUrl, body);
    if (problem !== undefined) return problem;
    wallet.record(deliveredEffect);
  }
  return undefined;
}

async function deliverAuthorization(
  wallet: Wallet,
  partner: Partner,
  { eventId, attempts, authorization }: Callback & { readonly authorization: Authorization },
): Promise<string | undefined> {
  const { reference, callbackUrl, sequence } = authorization;
  await wallet.journal.onDisk();
  const occasion = { verb: "callback", reference } as const;
  if (wallet.faults.take(["callback-drop"], occasion))
    return "lost in transit, because a test injected this fault";
  const isTwice = wallet.faults.take(["callback-twice"], occasion) !== undefined;
  const content = { eventId, reference, authorization: onTheWire(wallet, authorization) };
  const body = Buffer.from(JSON.stringify(content), "utf8");
  for (let time = 0; time < (isTwice ? 2 : 1); time += 1) {
    const problem = await postSigned(wallet, partner, callbackUrl, body);
    if (problem !== undefined) return problem;
    wallet.record({ kind: "authorization-callback", eventId, reference, sequence, attempts });
  }
  return undefined;
}

/**
 * Sends one signed POST. The callback counts as delivered when the gateway confirms it with the gateway's own
 * signature.
 */
async function postSigned(
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
    signal: AbortSignal.timeout(responseTimeoutMs),
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
  if (answer.length > responseBytesMax) return "the response is too long";
  const responseTime = response.headers.get("response-time") ?? "";
  const signature = response.headers.get("signature") ?? "";
  if (!keys.isFromGateway({ ...message, time: responseTime, body: answer }, signature))
    return "the response is not signed by the gateway";
  if (!isFresh(responseTime, wallet.now())) return "the time of the response differs too much from our clock";
  const { result } = JSON.parse(answer.toString("utf8")) as { result?: Record<string, unknown> };
  return result?.["resultStatus"] === "S" ? undefined : `it answered ${String(result?.["resultCode"])}`;
}

/** The state that a callback reports; with `isWrong`, its amounts are one minor unit higher. */
function reportOf({ pageUrl }: Wallet, { order, dispute, money }: OrderReport, isWrong: boolean): object {
  if (money) {
    const amount = isWrong ? oneMore(money.amount) : money.amount;
    return { [money.kind]: moneyOnTheWire({ ...money, amount }) };
  }
  if (dispute) return { dispute: disputeOnTheWire(isWrong ? withWrongDisputeAmount(dispute) : dispute) };
  return { order: orderOnTheWire(isWrong ? withWrongAmount(order) : order, pageUrl) };
}

function oneMore({ currency, value }: Amount): Amount {
  return { currency, value: String(BigInt(value) + 1n) };
}

function withWrongDisputeAmount(dispute: Dispute): Dispute {
  const amount = oneMore(dispute.takenAmount ?? dispute.amount);
  return { ...dispute, amount, ...(dispute.takenAmount && { takenAmount: amount }) };
}

function withWrongAmount(order: Order): Order {
  const amount = oneMore(order.amount);
  return { ...order, amount, ...(order.paidAmount && { paidAmount: amount }) };
}

/**
 * Returns the callback that a line of the journal requires. A change of a consent by the gateway itself requires none,
 * and neither does the first state of a capture or a refund, because the response reports it.
 */
function callbackFor(line: Line, projection: WalletProjection): Callback | undefined {
  if (line.kind === "authorization-changed") {
    const authorization = line.by === "gateway" ? undefined : projection.authorization(line.reference);
    const eventId = `${line.providerAuthorizationId}-${line.sequence}`;
    return authorization && { eventId, authorization, attempts: 0 };
  }
  if (line.kind === "dispute-opened" || line.kind === "dispute-changed") {
    const dispute = projection.dispute(line.providerDisputeId);
    const disputed = projection.orderById(line.providerOrderId);
    const eventId = `${line.providerDisputeId}-${line.sequence}`;
    return dispute && disputed && { eventId, order: disputed, dispute, attempts: 0 };
  }
  const step = readMoneyStep(line);
  if (step) {
    const money = projection.moneyRecordById(step.providerMoneyId);
    const order = projection.orderById(step.providerOrderId);
    const eventId = `${step.providerMoneyId}-${money?.sequence}`;
    return order && money && money.sequence > 1 ? { eventId, order, money, attempts: 0 } : undefined;
  }
  const order = isStateChange(line) ? projection.orderById(line.providerOrderId) : undefined;
  return order && { eventId: `${order.providerOrderId}-${order.sequence}`, order, attempts: 0 };
}

const orderChanges: readonly Line["kind"][] = [
  "pending",
  "authorized",
  "paid",
  "declined",
  "closed",
  "lapsed",
  "cancel-started",
  "cancel-failed",
  "code-renewed",
];

function isStateChange(line: Line): line is Line & { readonly providerOrderId: string } {
  return orderChanges.includes(line.kind);
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
