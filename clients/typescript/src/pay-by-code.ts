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

/**
 * `asking`: the buyer is asked to pay. `checking`: the outcome is unknown, and the library inquires.
 * `cancelling`: the payment is being cancelled.
 */
export type TillState = "asking" | "checking" | "cancelling";

/** Options of a payment at a point of sale. */
export interface ByCodeOptions {
  /**
   * Pauses before each inquiry, in seconds (default 2, 3, 3, 5, 5, 5, 5, 5, 5). After the last inquiry, the
   * payment is cancelled.
   */
  readonly inquireAfterSeconds?: readonly number[] | undefined;
  /** Pauses before a cancel is retried, in seconds (default 2, 3, 3, 5, 5). */
  readonly cancelAfterSeconds?: readonly number[] | undefined;
  /** Pauses before the same `pay` request for a code is retried, in seconds (default 2, 3). */
  readonly resendAfterSeconds?: readonly number[] | undefined;
  /** For each response (default 5 s). */
  readonly timeoutMs?: number | undefined;
  /** When the signal aborts, the payment is cancelled at once, and the result reports the outcome. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the state changes, to inform the cashier. */
  readonly onState?: ((state: TillState) => unknown) | undefined;
}

/** Methods of `payments` for a point of sale, in addition to its operations: a whole payment in one call. */
export interface ByCode {
  /**
   * Takes a payment with the code that the buyer shows (`PaymentCode`). If there is no response, it inquires;
   * if the outcome stays unknown, it cancels. It returns the final outcome. After the request is sent, it
   * does not reject: every result has the payment's id.
   */
  payByCode(request: PayRequest, options?: ByCodeOptions): Promise<TillResult>;
  /**
   * Gets a code for the buyer to scan (`OrderCode`). Show the code and wait with `finishByCode`. If there is
   * no code, it returns a result with the reason.
   */
  showOrderCode(request: PayRequest, options?: ByCodeOptions): Promise<ShownOrderCode | TillResult>;
  /**
   * Gets a page for the buyer to open (`EntryCode`). Send the buyer there and wait with `finishByCode`. If
   * there is no page, it returns a result with the reason.
   */
  openEntryCode(request: PayRequest, options?: ByCodeOptions): Promise<OpenedEntryCode | TillResult>;
  /**
   * Brings a payment to a final outcome: inquires, and then cancels. For an open code, it inquires until the
   * code expires. For a `paymentRequestId`, for example after `unknown` or after a crash, it inquires at once
   * and as often as `payByCode` does.
   */
  finishByCode(payment: string | OpenCode, options?: ByCodeOptions): Promise<TillResult>;
}

/** One payment at a point of sale, with its options. */
interface Till {
  readonly payments: PaymentsArea;
  readonly clock: Clock;
  /** The payment's ids. The first response that has a `paymentId` sets it. */
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

/**
 * Checks the kind of the request: for each kind of code, `S` has a different meaning, so a request of another
 * kind is rejected.
 */
function checkedId({ paymentRequestId, paymentFactor }: PayRequest, call: string, scenario: string): string {
  const said = paymentFactor?.inStorePaymentScenario;
  if (said !== scenario) {
    throw new ConfigurationError(
      `${call} requires a payment whose paymentFactor.inStorePaymentScenario is ${scenario}, and not ${said ?? "absent"}.`,
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
    throw new ConfigurationError("The paymentRequestId is missing.");
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
        // An error in `onState` must not make a payment fail.
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

/**
 * Sends the same request until there is a code. If there is no code, it makes sure that no payment stays
 * open.
 */
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
    // A response without a code means that the payment was paid before, or that it is final.
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
  if (untilMs === undefined) throw new ConfigurationError(`endsAt is not a time: ${endsAt}.`);
  till.say("asking");
  return settle(till, pausesUntil(untilMs, till));
}

/**
 * Repeats the last pause until the code expires. One more inquiry follows, because the buyer may have paid at
 * the last moment.
 */
function* pausesUntil(untilMs: number, { clock, inquirePausesMs }: Till): Iterable<number> {
  let asked = 0;
  do {
    const leftMs = Math.max(0, untilMs - clock.now());
    yield Math.min(inquirePausesMs[asked] ?? inquirePausesMs.at(-1) ?? 5_000, leftMs);
    asked += 1;
  } while (clock.now() < untilMs);
}

/** Inquires after each pause. If the outcome is still unknown, cancels the payment. */
async function settle(till: Till, pausesMs: Iterable<number>): Promise<TillResult> {
  for (const pauseMs of pausesMs) {
    await rest(till, pauseMs);
    if (till.signal?.aborted) break;
    const asked = await inquire(till, till.signal);
    const end = endOf(till.ids, asked);
    if (end) return end;
    const { answer, code } = asked;
    // A payment that the gateway does not know may still be in transit. After any other rejection, more
    // inquiries are useless.
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
    // After an abort, the remaining steps run without pauses.
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
    // After a cancel without a response, `paid` is not final, because the cancel may still take effect.
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

/** Disables the retries of calls, because this module does its own retries. */
function callOptions(timeoutMs: number, signal?: AbortSignal): CallOptions {
  return { timeoutMs, signal, maxRetries: 0, throwOnFailure: false };
}

/**
 * Converts errors to missing responses: no error after a request was sent may stop the point of sale from
 * finding the outcome.
 */
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

/** The lifetime of an order code or entry code, if the response does not state one. */
const usualLifeMs = 180_000;

/**
 * Computes the expiry from the remaining lifetime of the code, because the gateway's clock may differ from
 * the local clock (clock skew).
 */
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
