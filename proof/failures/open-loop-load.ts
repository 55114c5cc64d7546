import { setTimeout as waitMs } from "node:timers/promises";
import type { Answer } from "../oracle/history.ts";
import type { Merchant } from "../installation/installation.ts";
import { payBody, type Trial } from "../trial/trial.ts";

/** Open-loop load: buyers and merchants arrive at a constant rate, however slow the gateway is. */
export interface Load {
  /** Payments accepted for the first time between two moments of the trial. */
  acceptedBetween(fromMs: number, untilMs: number): number;
  /** Result codes of payments requested between two moments, such as `SUCCESS 12`. */
  resultCodesBetween(fromMs: number, untilMs: number): string;
  /**
   * Waits for the first accepted payment that was requested after this moment, and returns the time of its acceptance.
   */
  firstAcceptedAfter(ms: number): Promise<number>;
  /** Resolves when all payments in progress are complete. */
  stop(): Promise<void>;
}

const acceptedWithinMs = 60_000;
/** Limit of concurrent payments: further buyers leave at once, because real shops do not wait without limit. */
const concurrentMax = 400;

/** `startLoad` sends payments to both serving processes, or only to the process with the number `serve`. */
export function startLoad(trial: Trial, name: string, perSecond: number, serve?: number): Load {
  const { history } = trial;
  const pickServe = (): number => serve ?? trial.random.between(0, 1);
  const inProgress = new Set<Promise<void>>();
  const gapMs = 1_000 / perSecond;
  const startedAtMs = trial.nowMs();
  let count = 0;
  const timer = setInterval(() => {
    // A late timer catches up with the arrivals that it missed.
    while (count * gapMs < trial.nowMs() - startedAtMs) {
      count += 1;
      if (inProgress.size >= concurrentMax) continue;
      const payment = runPayment(trial, `${name}-${count}`, pickServe).finally(() =>
        inProgress.delete(payment),
      );
      inProgress.add(payment);
    }
  }, 10);
  const isOwn = ({ verb, requestId }: Answer): boolean => verb === "pay" && requestId.startsWith(`${name}-`);
  const isAccepted = (answer: Answer): boolean => isOwn(answer) && answer.id !== undefined;
  return {
    acceptedBetween: (fromMs, untilMs) =>
      history.answers.filter(
        (answer) => isAccepted(answer) && answer.answeredAtMs >= fromMs && answer.answeredAtMs < untilMs,
      ).length,
    resultCodesBetween(fromMs, untilMs) {
      const responses = history.answers.filter(
        (answer) => isOwn(answer) && answer.sentAtMs >= fromMs && answer.answeredAtMs <= untilMs,
      );
      const counts = [...Map.groupBy(responses, ({ resultCode }) => resultCode)];
      return counts.map(([code, answers]) => `${code} ${answers.length}`).join(", ");
    },
    async firstAcceptedAfter(ms) {
      const giveUpAtMs = trial.nowMs() + acceptedWithinMs;
      while (trial.nowMs() < giveUpAtMs) {
        const first = history.answers.find((answer) => isAccepted(answer) && answer.sentAtMs >= ms);
        if (first) return first.answeredAtMs;
        await waitMs(10);
      }
      throw new Error(`No payment was accepted within ${acceptedWithinMs} ms.`);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(inProgress);
    },
  };
}

/** A complete payment from the order to its final status. A merchant without a response retries once, and leaves. */
async function runPayment(trial: Trial, name: string, pickServe: () => number): Promise<void> {
  const { random } = trial;
  const merchant = random.pick(trial.installation.merchants);
  const pay = { verb: "pay", merchant, requestId: name, body: payBody(name, trial.notifyUrl) } as const;
  const answer = (await trial.send(pickServe(), pay)) ?? (await trial.send(pickServe(), pay));
  const paymentId = answer?.id;
  if (paymentId === undefined) return;
  const behaviour = random.next();
  if (behaviour < 0.2) return cancel(trial, { merchant, name, pickServe });
  if (behaviour < 0.4) return;
  await trial.actAsBuyer(paymentId, "approve");
  await waitMs(random.between(50, 800));
  const inquiry = {
    verb: "inquiryPayment",
    merchant,
    requestId: name,
    body: { paymentRequestId: name },
  } as const;
  const inquiryResponse = await trial.send(pickServe(), inquiry);
  if (inquiryResponse?.recordStatus === "SUCCESS" && behaviour < 0.6)
    await refund(trial, { merchant, name, pickServe }, paymentId);
  if (inquiryResponse?.recordStatus === "SUCCESS" && behaviour > 0.95)
    await cancel(trial, { merchant, name, pickServe });
}

interface BuyerContext {
  readonly merchant: Merchant;
  readonly name: string;
  readonly pickServe: () => number;
}

async function cancel(trial: Trial, { merchant, name, pickServe }: BuyerContext): Promise<void> {
  const body = { paymentRequestId: name };
  await trial.send(pickServe(), { verb: "cancel", merchant, requestId: name, body });
}

async function refund(
  trial: Trial,
  { merchant, name, pickServe }: BuyerContext,
  paymentId: string,
): Promise<void> {
  const refundRequestId = `${name}-refund`;
  const refundAmount = { currency: "EUR", value: "300" };
  const body = { refundRequestId, paymentId, refundAmount, refundNotifyUrl: trial.notifyUrl };
  await trial.send(pickServe(), { verb: "refund", merchant, requestId: refundRequestId, body });
}
