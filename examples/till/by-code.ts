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
export interface SaleResult {
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
export interface PaymentRun {
  readonly payments: Tollgate["payments"];
  readonly paymentRequestId: string;
  /** Aborted when the cashier cancels. */
  readonly cancelRequested: AbortSignal;
  /** Resolves when a webhook with a valid signature has the outcome. */
  readonly webhookResult: Promise<SaleResult>;
  readonly onProgress: (progress: Progress) => void;
  /** The time at which an earlier process sent the last cancel. */
  readonly cancelSentAtMs: number | undefined;
  /** Called before each cancel is sent, because the cancel may be in flight from then on. */
  readonly onCancel: () => void;
  /** Factor for the pauses; 1 except in tests. */
  readonly pace: number;
}

type Watcher = (signal: AbortSignal) => Promise<SaleResult | undefined>;

/** Seconds before each inquiry, and before each cancel except the first. */
const inquiryDelaysSeconds = [2, 3, 3, 5, 5, 5, 5, 5, 5];
const cancelDelaysSeconds = [2, 3, 3, 5, 5];
const recheckDelaysSeconds = [0, 2, 3];
/** Seconds between two inquiries while a code is shown. */
const pollIntervalSeconds = 3;
/** Maximum travel time of a cancel: a cancel without a response is no longer in flight after this time. */
const cancelInFlightSecondsMax = 10;
const payAttemptsMax = 3;

const answerTimeoutMs = 5_000;
/** The timeout for a request that gets a code. It is longer, because the provider must create the code first. */
const codeTimeoutMs = 15_000;
/**
 * Options of each request. The library does not retry by itself, because its retries would be missing in the list of
 * requests.
 */
const requestOptions = { timeoutMs: answerTimeoutMs, maxRetries: 0, throwOnFailure: false } as const;

/**
 * Takes a payment by the code that the buyer shows: `S` is paid, `F` is not. Any other or missing response leads to
 * inquiries, and at the end to a cancel.
 */
export function payByCode(paymentRun: PaymentRun, request: PayRequest): Promise<SaleResult> {
  return settleFirst(paymentRun, async (signal) => {
    const answer = await verifiedResponse(paymentRun.payments.pay(request, { ...requestOptions, signal }));
    if (answer?.isPaid) return { outcome: "paid", ...resultFacts(answer) };
    if (answer?.isFailure) return { outcome: "declined", ...resultFacts(answer) };
    paymentRun.onProgress(answer ? { state: "asks", ...paymentIdOf(answer) } : { state: "checking" });
    return inquire(paymentRun, inquiryDelaysSeconds, signal);
  });
}

/**
 * Shows a code, or opens a page, and waits until the buyer has paid. For these requests `S` only means that there is a
 * code or page to show, and repeating the identical request is safe.
 */
export function payByShowing(paymentRun: PaymentRun, request: PayRequest): Promise<SaleResult> {
  return settleFirst(paymentRun, async (signal) => {
    for (let attempt = 1; attempt <= payAttemptsMax && !signal.aborted; attempt += 1) {
      const pendingResponse = paymentRun.payments.pay(request, {
        ...requestOptions,
        timeoutMs: codeTimeoutMs,
        signal,
      });
      const answer = await verifiedResponse(pendingResponse);
      // If a repeated request is rejected, the outcome is unknown, because the rejection says nothing about the first
      // request.
      if (answer?.isFailure)
        return attempt === 1 ? { outcome: "declined", ...resultFacts(answer) } : undefined;
      const shown = answer?.isSuccess ? readBuyerCode(answer, request) : undefined;
      if (answer && shown) {
        paymentRun.onProgress({ state: "shows", ...paymentIdOf(answer), ...shown });
        return pollUntilExpired(paymentRun, Date.parse(shown.shownUntil), signal);
      }
      paymentRun.onProgress({ state: "checking" });
      await pause(paymentRun, 1, signal);
    }
    return undefined;
  });
}

/** Continues a payment that another process started, for example a process that was killed. */
export function resumePayment(paymentRun: PaymentRun, untilMs: number): Promise<SaleResult> {
  return settleFirst(paymentRun, async (signal) => {
    const result = await inquire(paymentRun, inquiryDelaysSeconds, signal);
    return result ?? pollUntilExpired(paymentRun, untilMs, signal);
  });
}

/** Inquires once, without a cancel. */
export async function recheckPayment(paymentRun: PaymentRun): Promise<SaleResult> {
  paymentRun.onProgress({ state: "checking" });
  await sleep(
    cancelInFlightUntilMs(paymentRun, paymentRun.cancelSentAtMs) - Date.now(),
    paymentRun.cancelRequested,
  );
  const result = await inquire(paymentRun, recheckDelaysSeconds, paymentRun.cancelRequested);
  return result ?? (paymentRun.cancelRequested.aborted ? cancelSafely(paymentRun) : { outcome: "unknown" });
}

/**
 * Makes sure that the payment is not paid, or that its money is returned. After a cancel was sent, "paid" counts only
 * if the gateway has rejected the cancel, and no earlier cancel can still be in flight.
 */
export async function cancelSafely(paymentRun: PaymentRun): Promise<SaleResult> {
  const { payments, paymentRequestId, onProgress, onCancel } = paymentRun;
  onProgress({ state: "cancelling" });
  let inFlightUntilMs = cancelInFlightUntilMs(paymentRun, paymentRun.cancelSentAtMs);
  for (const seconds of [0, ...cancelDelaysSeconds]) {
    await pause(paymentRun, seconds);
    onCancel();
    const answer = await verifiedResponse(payments.cancel({ paymentRequestId }, requestOptions));
    if (answer?.isSuccess) return { outcome: "cancelled", ...paymentIdOf(answer) };
    if (!answer?.isFailure) inFlightUntilMs = cancelInFlightUntilMs(paymentRun, Date.now());
    const isRefused = answer?.isFailure && answer.result.resultCode !== "REQUEST_TRAFFIC_EXCEED_LIMIT";
    const inquired = isRefused
      ? await verifiedResponse(payments.inquiryPayment({ paymentRequestId }, requestOptions))
      : undefined;
    const result = inquired && readResult(inquired);
    if (result && (result.outcome !== "paid" || Date.now() >= inFlightUntilMs)) return result;
  }
  return { outcome: "unknown" };
}

/** Returns the time until which a sent cancel without a response could still return the money of a paid payment. */
function cancelInFlightUntilMs({ pace }: PaymentRun, cancelSentAtMs: number | undefined): number {
  return cancelSentAtMs === undefined ? 0 : cancelSentAtMs + cancelInFlightSecondsMax * 1_000 * pace;
}

/** Returns the first outcome that a webhook, an inquiry or a cancel reports. */
async function settleFirst(paymentRun: PaymentRun, watch: Watcher): Promise<SaleResult> {
  const finished = new AbortController();
  const signal = AbortSignal.any([finished.signal, paymentRun.cancelRequested]);
  const result = await Promise.race([paymentRun.webhookResult, watch(signal)]);
  // Aborts all further requests: the next request could cancel a payment that a webhook reported as paid.
  finished.abort();
  return result ?? cancelSafely(paymentRun);
}

/**
 * Inquires after each of these pauses. Returns undefined if there is no outcome after the last one, or if another
 * inquiry is useless.
 */
async function inquire(
  paymentRun: PaymentRun,
  pauses: readonly number[],
  signal: AbortSignal,
): Promise<SaleResult | undefined> {
  for (const seconds of pauses) {
    await pause(paymentRun, seconds, signal);
    if (signal.aborted) return undefined;
    const answer = await inquireOnce(paymentRun, signal);
    const result = answer && readResult(answer);
    if (result) return result;
    // The result ORDER_NOT_EXIST is not final, because a payment that the gateway does not know may still be in flight.
    if (answer?.isFailure && answer.result.resultCode !== "ORDER_NOT_EXIST") return undefined;
    if (!signal.aborted)
      paymentRun.onProgress(isProcessing(answer) ? { state: "asks" } : { state: "checking" });
  }
  return undefined;
}

/** Polls until the payment has expired, and once more after it. */
async function pollUntilExpired(
  paymentRun: PaymentRun,
  untilMs: number,
  signal: AbortSignal,
): Promise<SaleResult | undefined> {
  let isLast = false;
  while (!isLast && !signal.aborted) {
    await pause(paymentRun, pollIntervalSeconds, signal);
    isLast = Date.now() > untilMs + pollIntervalSeconds * 1_000;
    const answer = await inquireOnce(paymentRun, signal);
    const result = answer && readResult(answer);
    if (result) return result;
    if (!signal.aborted)
      paymentRun.onProgress(isProcessing(answer) ? { state: "shows" } : { state: "checking" });
  }
  return undefined;
}

function inquireOnce(
  { payments, paymentRequestId }: PaymentRun,
  signal: AbortSignal,
): Promise<PaymentAnswer<InquiryPaymentResponse> | undefined> {
  return verifiedResponse(payments.inquiryPayment({ paymentRequestId }, { ...requestOptions, signal }));
}

function isProcessing(answer: PaymentAnswer<InquiryPaymentResponse> | undefined): boolean {
  return answer?.isSuccess === true && answer.paymentStatus === "PROCESSING";
}

/** Returns the outcome of a payment; undefined while the payment is pending, or while its cancel is in progress. */
function readResult(answer: PaymentAnswer<InquiryPaymentResponse>): SaleResult | undefined {
  if (!answer.isSuccess) return undefined;
  const { paymentStatus, paymentResultCode, transactions = [] } = answer;
  const facts = {
    ...paymentIdOf(answer),
    ...(paymentResultCode !== undefined && { resultCode: paymentResultCode }),
  };
  if (paymentStatus === "FAIL") return { outcome: "declined", ...facts };
  if (paymentStatus === "CANCELLED") return { outcome: "cancelled", ...facts };
  const isBeingReturned = transactions.some(
    ({ transactionType, transactionStatus }) => transactionType === "CANCEL" && transactionStatus !== "FAIL",
  );
  return answer.isPaid && !isBeingReturned ? { outcome: "paid", ...facts } : undefined;
}

interface BuyerCode {
  readonly shown: string;
  readonly shownUntil: string;
}

/** Returns the text of the code, or the address of the page for the buyer. */
function readBuyerCode(
  { orderCodeForm, redirectActionForm }: PayResponse,
  { paymentExpiryTime }: PayRequest,
): BuyerCode | undefined {
  const code = orderCodeForm?.codeDetails.find(({ displayType }) => displayType === "TEXT")?.codeValue;
  const shown = code ?? redirectActionForm?.redirectUrl;
  const shownUntil = orderCodeForm?.expireTime ?? paymentExpiryTime;
  return shown === undefined || shownUntil === undefined ? undefined : { shown, shownUntil };
}

/** Returns the response if its signature is valid. If it returns undefined, the outcome of the request is unknown. */
export async function verifiedResponse<Answered>(call: Promise<Answered>): Promise<Answered | undefined> {
  try {
    return await call;
  } catch (error) {
    const isMissingResponse = error instanceof GatewayError || (error as Error).name === "AbortError";
    if (!isMissingResponse) throw error;
    return undefined;
  }
}

function paymentIdOf({
  paymentId,
}: {
  readonly paymentId?: string | undefined;
}): Pick<SaleResult, "paymentId"> {
  return paymentId === undefined ? {} : { paymentId };
}

function resultFacts(answer: Answer<PayResponse>): Omit<SaleResult, "outcome"> {
  return { ...paymentIdOf(answer), resultCode: answer.result.resultCode };
}

function pause({ pace }: PaymentRun, seconds: number, signal?: AbortSignal): Promise<void> {
  return sleep(seconds * 1_000 * pace, signal);
}

/** Sleeps for this time. The signal ends the sleep early. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(Math.max(0, ms), undefined, signal ? { signal } : {}).catch(() => undefined);
}
