import type { Answer, CallOptions } from "./call.ts";
import type { Clock } from "./clock.ts";
import { isPassing, TimeoutError } from "./errors.ts";
import type {
  InquiryPaymentRequest,
  InquiryPaymentResponse,
  InquiryRefundRequest,
  InquiryRefundResponse,
} from "./generated/models.ts";
import type { PaymentAnswer } from "./payment-outcome.ts";
import type { PaymentsArea } from "./generated/operations.ts";

/** Options for polling: how long to poll, and a signal to stop earlier. */
export interface WaitOptions {
  /** How long to poll (default 60 s). */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Methods of `payments` in addition to its operations: polling until the status is final. */
export interface Waits {
  /**
   * Polls a payment until it is SUCCESS, FAIL or CANCELLED. Rejects with a `TimeoutError` if that takes too
   * long; the payment itself continues.
   */
  waitForFinal(
    payment: InquiryPaymentRequest,
    options?: WaitOptions,
  ): Promise<PaymentAnswer<InquiryPaymentResponse>>;
  /** Polls a refund until it is SUCCESS or FAIL. */
  waitForFinalRefund(
    refund: InquiryRefundRequest,
    options?: WaitOptions,
  ): Promise<Answer<InquiryRefundResponse>>;
}

export function waitsOf(payments: PaymentsArea, clock: Clock): Waits {
  return {
    waitForFinal: (payment, options) =>
      waitFor(
        "payment",
        (call) => payments.inquiryPayment(payment, call),
        (answer) => answer.paymentStatus,
        clock,
        options,
      ),
    waitForFinalRefund: (refund, options) =>
      waitFor(
        "refund",
        (call) => payments.inquiryRefund(refund, call),
        (answer) => answer.refundStatus,
        clock,
        options,
      ),
  };
}

const firstPauseMs = 500;
const longestPauseMs = 5_000;
const notFinal = new Set(["PROCESSING", "PENDING"]);

async function waitFor<Answered extends object>(
  what: string,
  inquire: (options: CallOptions) => Promise<Answered>,
  statusOf: (answer: Answered) => string | undefined,
  clock: Clock,
  { timeoutMs = 60_000, signal }: WaitOptions = {},
): Promise<Answered> {
  const untilMs = clock.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const leftMs = untilMs - clock.now();
    const answer = await inquire({ signal, deadlineMs: Math.max(0, leftMs) }).catch((error: unknown) => {
      if (!isPassing(error)) throw error;
    });
    const status = answer && (statusOf(answer) ?? "PROCESSING");
    if (answer && status !== undefined && !notFinal.has(status)) return answer;
    if (clock.now() + pauseMs > untilMs) {
      throw new TimeoutError(`The ${what} is not final after ${timeoutMs} ms: ${status ?? "no answer"}.`);
    }
    await clock.sleep(pauseMs, signal);
  }
}
