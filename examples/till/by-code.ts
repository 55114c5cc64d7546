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

/** How a payment ended, as far as anybody can know. */
export interface Settled {
  readonly outcome: SaleOutcome;
  readonly paymentId?: string;
  readonly resultCode?: string;
}

/** What there is to show meanwhile. */
export interface Progress {
  readonly state: Extract<SaleState, "shows" | "asks" | "checking" | "cancelling">;
  readonly paymentId?: string;
  readonly shown?: string;
  readonly shownUntil?: string;
}

/** One payment on its way to its end, and those who have a say in it. */
export interface Settling {
  readonly payments: Tollgate["payments"];
  readonly paymentRequestId: string;
  /** The cashier does not want to wait any longer. */
  readonly cancelAsked: AbortSignal;
  /** Resolves when a notification has told the end, and its signature holds. */
  readonly told: Promise<Settled>;
  readonly onProgress: (progress: Progress) => void;
  /** When somebody before us sent the last cancel. */
  readonly cancelSentAtMs: number | undefined;
  /** Called before each cancel is sent: from then on it may be on its way. */
  readonly onCancel: () => void;
  /** How long the usual pauses take; 1 but in tests. */
  readonly pace: number;
}

type Watch = (signal: AbortSignal) => Promise<Settled | undefined>;

/** Seconds before each inquiry, and before each cancel but the first. */
const inquireAfter = [2, 3, 3, 5, 5, 5, 5, 5, 5];
const cancelAfter = [2, 3, 3, 5, 5];
const askAgainAfter = [0, 2, 3];
/** Between two looks at a code that is shown. */
const watchEvery = 3;
/** A cancel without an answer is not on its way any more after so long. */
const cancelTravelsSecondsMax = 10;
const payTriesMax = 3;

const answerTimeoutMs = 5_000;
/** The wallet has to make a code first. */
const codeTimeoutMs = 15_000;
/** The library's own retries would be hidden from whoever looks at the calls. */
const once = { timeoutMs: answerTimeoutMs, maxRetries: 0, throwOnFailure: false } as const;

/**
 * Takes a payment by the code that the buyer shows: `S` is paid, `F` is not. Whatever else comes, or does not come, is
 * asked for, and in the end cancelled.
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
 * Shows a code, or opens a page, and waits until the buyer has paid there. Here `S` says only that there is something to
 * show, and the identical call may be repeated for it.
 */
export function payByShowing(settling: Settling, request: PayRequest): Promise<Settled> {
  return untilSettled(settling, async (signal) => {
    for (let tries = 1; tries <= payTriesMax && !signal.aborted; tries += 1) {
      const asked = settling.payments.pay(request, { ...once, timeoutMs: codeTimeoutMs, signal });
      const answer = await heard(asked);
      // A refusal of a repeated call says nothing of the first one.
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

/** Goes on with a payment that somebody else began, such as a till that was killed. */
export function goOn(settling: Settling, untilMs: number): Promise<Settled> {
  return untilSettled(settling, async (signal) => {
    const found = await inquire(settling, inquireAfter, signal);
    return found ?? follow(settling, untilMs, signal);
  });
}

/** Asks how it stands, and leaves it at that. */
export async function checkAgain(settling: Settling): Promise<Settled> {
  settling.onProgress({ state: "checking" });
  await sleep(inDoubtUntilMs(settling, settling.cancelSentAtMs) - Date.now(), settling.cancelAsked);
  const found = await inquire(settling, askAgainAfter, settling.cancelAsked);
  return found ?? (settling.cancelAsked.aborted ? cancelSafely(settling) : { outcome: "unknown" });
}

/**
 * Sees to it that nothing is paid, or that it goes back. Once a cancel is out, that a payment is paid counts only when the
 * gateway has refused to cancel it, and when no earlier cancel can still be on its way.
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

/** Until then a payment that is found to be paid could still be given back by a cancel that was not answered. */
function inDoubtUntilMs({ pace }: Settling, cancelSentAtMs: number | undefined): number {
  return cancelSentAtMs === undefined ? 0 : cancelSentAtMs + cancelTravelsSecondsMax * 1_000 * pace;
}

/** What is told, what is found, or what the cancel comes to, whichever is first. */
async function untilSettled(settling: Settling, watch: Watch): Promise<Settled> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, settling.cancelAsked]);
  const found = await Promise.race([settling.told, watch(signal)]);
  // Nothing may be sent any more: the next step could be a cancel of what was told to be paid.
  over.abort();
  return found ?? cancelSafely(settling);
}

/** Asks after each of these pauses. Undefined when it is not over by then, or when there is no point in asking. */
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
    // One that the gateway has not heard of may still be on its way.
    if (answer?.isFailure && answer.result.resultCode !== "ORDER_NOT_EXIST") return undefined;
    if (!signal.aborted) settling.onProgress(isUnderWay(answer) ? { state: "asks" } : { state: "checking" });
  }
  return undefined;
}

/** Looks until the time to pay is over, and once more after it. */
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

/** How a payment has ended. Undefined while it has not, or while a cancel of it is being carried out. */
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

/** The text of the code, or the page that the buyer is led to. */
function shownBy(
  { orderCodeForm, redirectActionForm }: PayResponse,
  { paymentExpiryTime }: PayRequest,
): Shown | undefined {
  const code = orderCodeForm?.codeDetails.find(({ displayType }) => displayType === "TEXT")?.codeValue;
  const shown = code ?? redirectActionForm?.redirectUrl;
  const shownUntil = orderCodeForm?.expireTime ?? paymentExpiryTime;
  return shown === undefined || shownUntil === undefined ? undefined : { shown, shownUntil };
}

/** The answer, if there is one that can be trusted. Without it nobody knows whether the call had an effect. */
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

/** Wakes up early when it is told to. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(Math.max(0, ms), undefined, signal ? { signal } : {}).catch(() => undefined);
}
