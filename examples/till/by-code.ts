import { setTimeout } from "node:timers/promises";
import {
  GatewayError,
  type Answer,
  type InquiryPaymentResponse,
  type PayRequest,
  type PaymentAnswer,
  type PayResponse,
  type Tollgate,
} from "../../clients/typescript/src/generated/package.ts";
import type { SaleOutcome, SaleState } from "./sale.ts";

/** The outcome of a payment, as far as it is known. */
export interface Settled {
  readonly outcome: SaleOutcome;
  readonly paymentId?: string;
  readonly resultCode?: string;
}

/** Intermediate state for the screen. */
export interface Progress {
  readonly state: Extract<SaleState, "shows" | "asks" | "checking" | "cancelling">;
  readonly paymentId?: string;
  readonly shown?: string;
  readonly shownUntil?: string;
}

/** One payment until its outcome, with everything that influences the outcome. */
export interface Settling {
  readonly payments: Tollgate["payments"];
  readonly paymentRequestId: string;
  /** Aborted when the cashier cancels. */
  readonly cancelAsked: AbortSignal;
  /** Resolves when a webhook with a valid signature has the outcome. */
  readonly told: Promise<Settled>;
  readonly onProgress: (progress: Progress) => void;
  /** The time at which an earlier process sent the last cancel. */
  readonly cancelSentAtMs: number | undefined;
  /** Called before each cancel is sent, because the cancel may be in flight from then on. */
  readonly onCancel: () => void;
  /** Factor for the pauses; 1 except in tests. */
  readonly pace: number;
}

type Watch = (signal: AbortSignal) => Promise<Settled | undefined>;

/** Seconds before each inquiry, and before each cancel except the first. */
const inquireAfter = [2, 3, 3, 5, 5, 5, 5, 5, 5];
const cancelAfter = [2, 3, 3, 5, 5];
const askAgainAfter = [0, 2, 3];
/** Seconds between two inquiries while a code is shown. */
const watchEvery = 3;
/** Maximum travel time of a cancel: a cancel without a response is no longer in flight after this time. */
const cancelTravelsSecondsMax = 10;
const payTriesMax = 3;

const answerTimeoutMs = 5_000;
/** The timeout for a request that gets a code. It is longer, because the provider must create the code first. */
const codeTimeoutMs = 15_000;
/**
 * Options of each request. The library does not retry by itself, because its retries would be missing in the list of
 * requests.
 */
const once = { timeoutMs: answerTimeoutMs, maxRetries: 0, throwOnFailure: false } as const;

/**
 * Takes a payment by the code that the buyer shows: `S` is paid, `F` is not. Any other or missing response leads to
 * inquiries, and at the end to a cancel.
 */
export function payByCode(settling: Settling, request: PayRequest): Promise<Settled> {
  return untilSettled(settling, async (signal) => {
    const answer = await heard(settling.payments.pay(request, { ...once, signal }));
    if (answer?.isPaid) return { outcome: "paid", ...factsOf(answer) };
    if (answer?.isFailure) return { outcome: "declined", ...factsOf(answer) };
    settling.onProgress(answer ? { state: "asks", ...idIn(answer) } : { state: "checking" });
    return inquire(settling, inquireAfter, signal);
  });
}

/**
 * Shows a code, or opens a page, and waits until the buyer has paid. For these requests `S` only means that there is a
 * code or page to show, and repeating the identical request is safe.
 */
export function payByShowing(settling: Settling, request: PayRequest): Promise<Settled> {
  return untilSettled(settling, async (signal) => {
    for (let tries = 1; tries <= payTriesMax && !signal.aborted; tries += 1) {
      const asked = settling.payments.pay(request, { ...once, timeoutMs: codeTimeoutMs, signal });
      const answer = await heard(asked);
      // If a repeated request is rejected, the outcome is unknown, because the rejection says nothing about the first
      // request.
      if (answer?.isFailure) return tries === 1 ? { outcome: "declined", ...factsOf(answer) } : undefined;
      const shown = answer?.isSuccess ? shownBy(answer, request) : undefined;
      if (answer && shown) {
        settling.onProgress({ state: "shows", ...idIn(answer), ...shown });
        return follow(settling, Date.parse(shown.shownUntil), signal);
      }
      settling.onProgress({ state: "checking" });
      await pause(settling, 1, signal);
    }
    return undefined;
  });
}

/** Continues a payment that another process started, for example a process that was killed. */
export function goOn(settling: Settling, untilMs: number): Promise<Settled> {
  return untilSettled(settling, async (signal) => {
    const found = await inquire(settling, inquireAfter, signal);
    return found ?? follow(settling, untilMs, signal);
  });
}

/** Inquires once, without a cancel. */
export async function checkAgain(settling: Settling): Promise<Settled> {
  settling.onProgress({ state: "checking" });
  await sleep(inDoubtUntilMs(settling, settling.cancelSentAtMs) - Date.now(), settling.cancelAsked);
  const found = await inquire(settling, askAgainAfter, settling.cancelAsked);
  return found ?? (settling.cancelAsked.aborted ? cancelSafely(settling) : { outcome: "unknown" });
}

/**
 * Makes sure that the payment is not paid, or that its money is returned. After a cancel was sent, "paid" counts only
 * if the gateway has rejected the cancel, and no earlier cancel can still be in flight.
 */
export async function cancelSafely(settling: Settling): Promise<Settled> {
  const { payments, paymentRequestId, onProgress, onCancel } = settling;
  onProgress({ state: "cancelling" });
  let doubtUntilMs = inDoubtUntilMs(settling, settling.cancelSentAtMs);
  for (const seconds of [0, ...cancelAfter]) {
    await pause(settling, seconds);
    onCancel();
    const answer = await heard(payments.cancel({ paymentRequestId }, once));
    if (answer?.isSuccess) return { outcome: "cancelled", ...idIn(answer) };
    if (!answer?.isFailure) doubtUntilMs = inDoubtUntilMs(settling, Date.now());
    const isRefused = answer?.isFailure && answer.result.resultCode !== "REQUEST_TRAFFIC_EXCEED_LIMIT";
    const asked = isRefused ? await heard(payments.inquiryPayment({ paymentRequestId }, once)) : undefined;
    const found = asked && endIn(asked);
    if (found && (found.outcome !== "paid" || Date.now() >= doubtUntilMs)) return found;
  }
  return { outcome: "unknown" };
}

/** Returns the time until which a sent cancel without a response could still return the money of a paid payment. */
function inDoubtUntilMs({ pace }: Settling, cancelSentAtMs: number | undefined): number {
  return cancelSentAtMs === undefined ? 0 : cancelSentAtMs + cancelTravelsSecondsMax * 1_000 * pace;
}

/** Returns the first outcome that a webhook, an inquiry or a cancel reports. */
async function untilSettled(settling: Settling, watch: Watch): Promise<Settled> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, settling.cancelAsked]);
  const found = await Promise.race([settling.told, watch(signal)]);
  // Aborts all further requests: the next request could cancel a payment that a webhook reported as paid.
  over.abort();
  return found ?? cancelSafely(settling);
}

/**
 * Inquires after each of these pauses. Returns undefined if there is no outcome after the last one, or if another
 * inquiry is useless.
 */
async function inquire(
  settling: Settling,
  pauses: readonly number[],
  signal: AbortSignal,
): Promise<Settled | undefined> {
  for (const seconds of pauses) {
    await pause(settling, seconds, signal);
    if (signal.aborted) return undefined;
    const answer = await look(settling, signal);
    const found = answer && endIn(answer);
    if (found) return found;
    // The result ORDER_NOT_EXIST is not final, because a payment that the gateway does not know may still be in flight.
    if (answer?.isFailure && answer.result.resultCode !== "ORDER_NOT_EXIST") return undefined;
    if (!signal.aborted) settling.onProgress(isUnderWay(answer) ? { state: "asks" } : { state: "checking" });
  }
  return undefined;
}

/** Polls until the payment has expired, and once more after it. */
async function follow(
  settling: Settling,
  untilMs: number,
  signal: AbortSignal,
): Promise<Settled | undefined> {
  let isLast = false;
  while (!isLast && !signal.aborted) {
    await pause(settling, watchEvery, signal);
    isLast = Date.now() > untilMs + watchEvery * 1_000;
    const answer = await look(settling, signal);
    const found = answer && endIn(answer);
    if (found) return found;
    if (!signal.aborted) settling.onProgress(isUnderWay(answer) ? { state: "shows" } : { state: "checking" });
  }
  return undefined;
}

function look(
  { payments, paymentRequestId }: Settling,
  signal: AbortSignal,
): Promise<PaymentAnswer<InquiryPaymentResponse> | undefined> {
  return heard(payments.inquiryPayment({ paymentRequestId }, { ...once, signal }));
}

function isUnderWay(answer: PaymentAnswer<InquiryPaymentResponse> | undefined): boolean {
  return answer?.isSuccess === true && answer.paymentStatus === "PROCESSING";
}

/** Returns the outcome of a payment; undefined while the payment is pending, or while its cancel is in progress. */
function endIn(answer: PaymentAnswer<InquiryPaymentResponse>): Settled | undefined {
  if (!answer.isSuccess) return undefined;
  const { paymentStatus, paymentResultCode, transactions = [] } = answer;
  const facts = {
    ...idIn(answer),
    ...(paymentResultCode !== undefined && { resultCode: paymentResultCode }),
  };
  if (paymentStatus === "FAIL") return { outcome: "declined", ...facts };
  if (paymentStatus === "CANCELLED") return { outcome: "cancelled", ...facts };
  const isGoingBack = transactions.some(
    ({ transactionType, transactionStatus }) => transactionType === "CANCEL" && transactionStatus !== "FAIL",
  );
  return answer.isPaid && !isGoingBack ? { outcome: "paid", ...facts } : undefined;
}

interface Shown {
  readonly shown: string;
  readonly shownUntil: string;
}

/** Returns the text of the code, or the address of the page for the buyer. */
function shownBy(
  { orderCodeForm, redirectActionForm }: PayResponse,
  { paymentExpiryTime }: PayRequest,
): Shown | undefined {
  const code = orderCodeForm?.codeDetails.find(({ displayType }) => displayType === "TEXT")?.codeValue;
  const shown = code ?? redirectActionForm?.redirectUrl;
  const shownUntil = orderCodeForm?.expireTime ?? paymentExpiryTime;
  return shown === undefined || shownUntil === undefined ? undefined : { shown, shownUntil };
}

/** Returns the response if its signature is valid. If it returns undefined, the outcome of the request is unknown. */
export async function heard<Answered>(call: Promise<Answered>): Promise<Answered | undefined> {
  try {
    return await call;
  } catch (error) {
    const isSilence = error instanceof GatewayError || (error as Error).name === "AbortError";
    if (!isSilence) throw error;
    return undefined;
  }
}

function idIn({ paymentId }: { readonly paymentId?: string | undefined }): Pick<Settled, "paymentId"> {
  return paymentId === undefined ? {} : { paymentId };
}

function factsOf(answer: Answer<PayResponse>): Omit<Settled, "outcome"> {
  return { ...idIn(answer), resultCode: answer.result.resultCode };
}

function pause({ pace }: Settling, seconds: number, signal?: AbortSignal): Promise<void> {
  return sleep(seconds * 1_000 * pace, signal);
}

/** Sleeps for this time. The signal ends the sleep early. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(Math.max(0, ms), undefined, signal ? { signal } : {}).catch(() => undefined);
}
