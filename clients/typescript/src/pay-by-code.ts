import type { Answer, CallOptions } from "./call.ts";
import { notNegative } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { ConfigurationError, ResultError } from "./errors.ts";
import type { CancelResponse, InquiryPaymentResponse, PayRequest, PayResponse } from "./generated/models.ts";
import type { PaymentsArea } from "./generated/operations.ts";
import {
  cancelled,
  declined,
  endOf,
  paid,
  unknown,
  type Heard,
  type OpenCode,
  type OpenedEntryCode,
  type ShownOrderCode,
  type TillResult,
} from "./till-result.ts";
import { parseWireTime, toWireTime } from "./wire-time.ts";

/** `asking`: the buyer is asked to pay. `checking`: nobody knows yet, and the gateway is asked. `cancelling`: it is called off. */
export type TillState = "asking" | "checking" | "cancelling";

/** What a payment at a till may be told. */
export interface ByCodeOptions {
  /** Pauses before each inquiry. When they are used up, the payment is cancelled. 2, 3, 3, 5, 5, 5, 5, 5, 5 unless said otherwise. */
  readonly inquireAfterSeconds?: readonly number[] | undefined;
  /** Pauses before a cancel is repeated; 2, 3, 3, 5, 5 unless said otherwise. */
  readonly cancelAfterSeconds?: readonly number[] | undefined;
  /** Pauses before the same `pay` is sent again for a code; 2, 3 unless said otherwise. */
  readonly resendAfterSeconds?: readonly number[] | undefined;
  /** For each answer; 5 s unless said otherwise. */
  readonly timeoutMs?: number | undefined;
  /** When it aborts, the payment is cancelled at once, and the result says how that went. */
  readonly signal?: AbortSignal | undefined;
  /** Is told what is being done, for the cashier. */
  readonly onState?: ((state: TillState) => unknown) | undefined;
}

/** What `payments` has beside its operations, for tills: the whole of a payment in one call. */
export interface ByCode {
  /**
   * Takes a payment with the code that the buyer shows (`PaymentCode`). Asks when there is no answer, cancels when nobody
   * tells, and says how it ended. Once the request is sent it does not reject: the id is in every result.
   */
  payByCode(request: PayRequest, options?: ByCodeOptions): Promise<TillResult>;
  /** Gets a code for the buyer to scan (`OrderCode`). Show it, and wait with `finishByCode`; or the result why there is none. */
  showOrderCode(request: PayRequest, options?: ByCodeOptions): Promise<ShownOrderCode | TillResult>;
  /** Gets the page to send the buyer to (`EntryCode`), and wait with `finishByCode`; or the result why there is none. */
  openEntryCode(request: PayRequest, options?: ByCodeOptions): Promise<OpenedEntryCode | TillResult>;
  /**
   * Brings a payment to its end: asks, and then cancels. For an open code it asks until that ends. For a
   * `paymentRequestId`, as after `unknown` or when the till has crashed, it asks at once and as often as `payByCode` does.
   */
  finishByCode(payment: string | OpenCode, options?: ByCodeOptions): Promise<TillResult>;
}

/** One payment at a till, and how it is to be handled. */
interface Till {
  readonly payments: PaymentsArea;
  readonly clock: Clock;
  /** Grows with what answers tell. */
  readonly ids: { readonly paymentRequestId: string; paymentId: string | undefined };
  readonly inquirePausesMs: readonly number[];
  readonly cancelPausesMs: readonly number[];
  readonly resendPausesMs: readonly number[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  say(state: TillState): void;
}

export function byCodeOf(payments: PaymentsArea, clock: Clock): ByCode {
  const tillOf = (paymentRequestId: string, options: ByCodeOptions = {}): Till =>
    tillFor(payments, clock, paymentRequestId, options);
  return {
    async payByCode(request, options) {
      return pay(tillOf(checkedId(request, "payByCode", "PaymentCode"), options), request);
    },
    async showOrderCode(request, options) {
      const till = tillOf(checkedId(request, "showOrderCode", "OrderCode"), options);
      return open(till, request, (answer) => {
        const codeText = codeTextOf(answer);
        return codeText === undefined ? undefined : { ...openCode(till, answer, request), codeText };
      });
    },
    async openEntryCode(request, options) {
      const till = tillOf(checkedId(request, "openEntryCode", "EntryCode"), options);
      return open(till, request, (answer) => {
        const redirectUrl = answer.redirectActionForm?.redirectUrl;
        return redirectUrl === undefined ? undefined : { ...openCode(till, answer, request), redirectUrl };
      });
    },
    async finishByCode(payment, options) {
      if (typeof payment === "string") return finishAfterDoubt(tillOf(payment, options));
      return finishOpen(tillOf(payment.paymentRequestId, options), payment);
    },
  };
}

/** `S` means something else for each kind of code, so none may be taken for another. */
function checkedId({ paymentRequestId, paymentFactor }: PayRequest, call: string, scenario: string): string {
  const said = paymentFactor?.inStorePaymentScenario;
  if (said !== scenario) {
    throw new ConfigurationError(
      `${call} is for payments whose paymentFactor.inStorePaymentScenario is ${scenario}, and not ${said ?? "absent"}.`,
    );
  }
  return paymentRequestId;
}

function tillFor(
  payments: PaymentsArea,
  clock: Clock,
  paymentRequestId: string,
  { timeoutMs = 5_000, signal, onState, ...options }: ByCodeOptions,
): Till {
  if (typeof paymentRequestId !== "string" || paymentRequestId === "")
    throw new ConfigurationError("There is no paymentRequestId.");
  const pausesOf = (name: keyof typeof options, usual: readonly number[]): number[] =>
    (options[name] ?? usual).map((seconds) => notNegative(name, seconds) * 1_000);
  let last: TillState | undefined;
  return {
    payments,
    clock,
    ids: { paymentRequestId, paymentId: undefined },
    inquirePausesMs: pausesOf("inquireAfterSeconds", [2, 3, 3, 5, 5, 5, 5, 5, 5]),
    cancelPausesMs: pausesOf("cancelAfterSeconds", [2, 3, 3, 5, 5]),
    resendPausesMs: pausesOf("resendAfterSeconds", [2, 3]),
    timeoutMs,
    signal,
    say(state) {
      if (state === last) return;
      last = state;
      try {
        onState?.(state);
      } catch {
        // A display that fails must not make a payment fail.
      }
    },
  };
}

async function pay(till: Till, request: PayRequest): Promise<TillResult> {
  till.say("asking");
  const heard = await send(till, request);
  const { answer } = heard;
  if (answer?.isSuccess) return paid(till.ids, answer);
  if (answer?.isFailure) return declined(till.ids, answer.result.resultCode);
  till.say(heard.code === "PAYMENT_IN_PROCESS" ? "asking" : "checking");
  return settle(till, till.inquirePausesMs);
}

/** Sends the same request until there is a code; without a code, it sees to it that nothing is left open. */
async function open<Opened extends object>(
  till: Till,
  request: PayRequest,
  openedBy: (answer: PayResponse) => Opened | undefined,
): Promise<(Opened & { readonly outcome: "open" }) | TillResult> {
  till.say("asking");
  for (const pauseMs of [0, ...till.resendPausesMs]) {
    await rest(till, pauseMs);
    const { answer } = await send(till, request);
    if (answer?.isFailure) return declined(till.ids, answer.result.resultCode);
    if (!answer?.isSuccess) continue;
    const opened = openedBy(answer);
    if (opened) return { outcome: "open", ...opened };
    // There is nothing to pay with: it was paid before, or it has ended.
    till.say("checking");
    return settle(till, [0, ...till.inquirePausesMs]);
  }
  return cancel(till);
}

async function finishAfterDoubt(till: Till): Promise<TillResult> {
  till.say("checking");
  return settle(till, [0, ...till.inquirePausesMs]);
}

async function finishOpen(till: Till, { endsAt }: OpenCode): Promise<TillResult> {
  const untilMs = parseWireTime(endsAt);
  if (untilMs === undefined) throw new ConfigurationError(`endsAt is no time: ${endsAt}.`);
  till.say("asking");
  return settle(till, pausesUntil(untilMs, till));
}

/** The last pause is repeated until the time is over; then it is asked once more, because a buyer may have paid at the last moment. */
function* pausesUntil(untilMs: number, { clock, inquirePausesMs }: Till): Iterable<number> {
  let asked = 0;
  do {
    const leftMs = Math.max(0, untilMs - clock.now());
    yield Math.min(inquirePausesMs[asked] ?? inquirePausesMs.at(-1) ?? 5_000, leftMs);
    asked += 1;
  } while (clock.now() < untilMs);
}

/** Asks after each pause; and when nobody has told how it ended, calls it off. */
async function settle(till: Till, pausesMs: Iterable<number>): Promise<TillResult> {
  for (const pauseMs of pausesMs) {
    await rest(till, pauseMs);
    if (till.signal?.aborted) break;
    const asked = await inquire(till, till.signal);
    const end = endOf(till.ids, asked);
    if (end) return end;
    const { answer, code } = asked;
    // What is not known yet may still be on its way. Any other refusal will not change.
    if (answer?.isFailure && code !== "ORDER_NOT_EXIST") break;
    till.say(answer?.isSuccess && answer.paymentStatus !== "SUCCESS" ? "asking" : "checking");
  }
  return cancel(till);
}

async function cancel(till: Till): Promise<TillResult> {
  const { ids, payments, clock, timeoutMs } = till;
  const { paymentRequestId } = ids;
  till.say("cancelling");
  let last: Heard<CancelResponse> = {};
  let isInDoubt = false;
  for (const pauseMs of [0, ...till.cancelPausesMs]) {
    // Whoever has aborted wants just this, so it goes on to the end.
    if (pauseMs > 0) await clock.sleep(pauseMs);
    last = await hear(till, payments.cancel({ paymentRequestId }, callOptions(timeoutMs)));
    if (last.answer?.isSuccess) {
      const { answer } = await inquire(till, undefined);
      return cancelled(ids, last.answer.cancelTime, answer?.isSuccess ? answer : undefined);
    }
    if (!last.answer?.isFailure) {
      isInDoubt = true;
      continue;
    }
    const end = endOf(ids, await inquire(till, undefined));
    // A cancel without an answer may still take effect: then what is paid now will not stay so.
    if (end && !(isInDoubt && end.outcome === "paid")) return end;
  }
  return unknown(ids, last);
}

function send(till: Till, request: PayRequest): Promise<Heard<PayResponse>> {
  if (till.signal?.aborted) return Promise.resolve({});
  return hear(till, till.payments.pay(request, callOptions(till.timeoutMs, till.signal)));
}

function inquire(till: Till, signal: AbortSignal | undefined): Promise<Heard<InquiryPaymentResponse>> {
  const { payments, ids, timeoutMs } = till;
  const { paymentRequestId } = ids;
  return hear(till, payments.inquiryPayment({ paymentRequestId }, callOptions(timeoutMs, signal)));
}

/** Repeating is this module's own business. */
function callOptions(timeoutMs: number, signal?: AbortSignal): CallOptions {
  return { timeoutMs, signal, maxRetries: 0, throwOnFailure: false };
}

/** Nothing that goes wrong after a request was sent may keep the till from finding out what became of it. */
async function hear<Body extends { readonly paymentId?: string | undefined }>(
  { ids }: Till,
  call: Promise<Answer<Body>>,
): Promise<Heard<Body>> {
  try {
    const answer = await call;
    ids.paymentId = answer.paymentId ?? ids.paymentId;
    return { answer, code: answer.result.resultCode };
  } catch (fault) {
    if (fault instanceof ConfigurationError) throw fault;
    return { fault, code: fault instanceof ResultError ? fault.code : undefined };
  }
}

async function rest({ clock, signal }: Till, pauseMs: number): Promise<void> {
  if (pauseMs === 0 || signal?.aborted) return;
  try {
    await clock.sleep(pauseMs, signal);
  } catch (reason) {
    if (!signal?.aborted) throw reason;
  }
}

function codeTextOf({ orderCodeForm }: PayResponse): string | undefined {
  const codes = orderCodeForm?.codeDetails ?? [];
  return (codes.find(({ displayType }) => displayType === "TEXT") ?? codes[0])?.codeValue;
}

/** How long codes are good for, if nobody says. */
const usualLifeMs = 180_000;

/** The gateway's clock may differ from the till's, so only how long it is good for counts. */
function openCode(
  { clock, ids }: Till,
  { paymentCreateTime, orderCodeForm }: PayResponse,
  { paymentExpiryTime }: PayRequest,
): OpenCode {
  const nowMs = clock.now();
  const endMs = parseWireTime(orderCodeForm?.expireTime ?? paymentExpiryTime ?? "");
  const createdMs = parseWireTime(paymentCreateTime ?? "") ?? nowMs;
  const lifeMs = endMs === undefined ? usualLifeMs : Math.max(0, endMs - createdMs);
  return { ...ids, endsAt: toWireTime(nowMs + lifeMs) };
}
