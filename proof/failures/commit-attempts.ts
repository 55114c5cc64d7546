import { setTimeout as waitMs } from "node:timers/promises";
import type { Answer, Verb } from "../oracle/history.ts";
import type { Merchant } from "../installation/installation.ts";
import { payBody, type MerchantRequest, type Trial } from "../trial/trial.ts";

/** One commit that moves money and is interrupted while it waits for the standby. */
export interface CommitAttempt {
  readonly kind: Kind;
  /** The request of the try, which the client retries at the other process. */
  readonly request: MerchantRequest;
  /** The inquiry for its outcome. */
  readonly inquiry: MerchantRequest;
  readonly paymentId: string | undefined;
}

/** The kinds of commits that happen while the standby is gone. */
export const kinds = [
  /** The buyer has paid, and the provider sends its callback. */
  "settle",
  /** The merchant cancels a payment that does not exist: there is no other commit before the response. */
  "cancel beforehand",
  /** The provider closed an unpaid order. */
  "cancel",
  /** The provider returned money for a refund. */
  "refund",
  /** The provider returned money for a cancel. */
  "reverse",
  /** The gateway accepts a payment. */
  "pay",
] as const;

export type Kind = (typeof kinds)[number];

/** The provider's delay in milliseconds. It is so long that the standby is already gone when the provider responds. */
const providerDelayMs = 1_200;
const pollsMax = 40;

/** Makes every commit that must be durable before the standby is lost. */
export async function prepareAttempt(trial: Trial, kind: Kind, name: string): Promise<CommitAttempt> {
  const merchant = trial.random.pick(trial.installation.merchants);
  const pay = newPayRequest(trial, merchant, name);
  const isNew = kind === "pay" || kind === "cancel beforehand";
  const paymentId = isNew ? undefined : await requestPayment(trial, pay);
  if (paymentId !== undefined && (kind === "refund" || kind === "reverse"))
    await completePayment(trial, pay, paymentId);
  const newRequest = (verb: Verb, requestId: string, body: object): MerchantRequest => ({
    verb,
    merchant,
    requestId,
    body,
  });
  const inquiryBody = { paymentRequestId: name };
  const inquiry = newRequest("inquiryPayment", name, inquiryBody);
  switch (kind) {
    case "settle":
    case "pay":
      return { kind, request: pay, inquiry, paymentId };
    case "cancel":
    case "cancel beforehand":
    case "reverse":
      return { kind, request: newRequest("cancel", name, inquiryBody), inquiry, paymentId };
    case "refund": {
      const refundRequestId = `${name}-refund`;
      const refundAmount = { currency: "EUR", value: "400" };
      const body = { refundRequestId, paymentId, refundAmount, refundNotifyUrl: trial.notifyUrl };
      const inquiryOfRefund = newRequest("inquiryRefund", refundRequestId, { refundRequestId });
      return {
        kind,
        request: newRequest("refund", refundRequestId, body),
        inquiry: inquiryOfRefund,
        paymentId,
      };
    }
  }
}

/**
 * Starts the requests whose first commit needs the standby, and which wait for the provider when the standby is lost.
 */
export async function startEarlyRequest(trial: Trial, attempt: CommitAttempt): Promise<void> {
  if (attempt.kind !== "cancel" && attempt.kind !== "refund" && attempt.kind !== "reverse") return;
  const verb = attempt.kind === "cancel" ? "cancel" : "refund";
  const match = { paymentId: attempt.paymentId, verb };
  const fault = { kind: "late-answer", match, delayMs: providerDelayMs };
  await trial.installation.control("POST", "/control/faults", fault);
  await trial.send(0, attempt.request);
}

/** `startLateRequest` starts the requests of the other kinds, after the standby is lost. */
export async function startLateRequest(trial: Trial, attempt: CommitAttempt): Promise<void> {
  if (attempt.kind === "settle") await trial.actAsBuyer(attempt.paymentId ?? "", "approve");
  if (attempt.kind === "pay" || attempt.kind === "cancel beforehand") await trial.send(0, attempt.request);
}

/** `keepPolling` sends the try's request again, or its inquiry, at both processes in random order. */
export async function keepPolling(
  trial: Trial,
  attempt: CommitAttempt,
  isActive: () => boolean,
): Promise<void> {
  const { random } = trial;
  while (isActive()) {
    await waitMs(random.between(100, 600));
    await trial.send(random.between(0, 1), random.chance(0.5) ? attempt.request : attempt.inquiry);
  }
}

/** Continuous payments of the same merchants. The judge checks their responses like those of the tries. */
export interface Traffic {
  /** Payments that the gateway accepted. */
  acceptedCount(): number;
  stop(): Promise<void>;
}

const buyersAtOnce = 8;

export function startTraffic(trial: Trial): Traffic {
  let [isActive, accepted, startedCount] = [true, 0, 0];
  const sendPayments = async (): Promise<void> => {
    while (isActive) {
      startedCount += 1;
      const pay = newPayRequest(
        trial,
        trial.random.pick(trial.installation.merchants),
        `traffic-${startedCount}`,
      );
      const serve = trial.random.between(0, 1);
      const id = (await trial.send(serve, pay))?.id;
      if (id !== undefined) {
        accepted += 1;
        await trial.actAsBuyer(id, "approve");
      }
      const body = { paymentRequestId: pay.requestId };
      await trial.send(1 - serve, { ...pay, verb: "inquiryPayment", body });
      await waitMs(trial.random.between(50, 250));
    }
  };
  const payments = Promise.all(Array.from({ length: buyersAtOnce }, sendPayments));
  return {
    acceptedCount: () => accepted,
    async stop() {
      isActive = false;
      await payments;
    },
  };
}

function newPayRequest(trial: Trial, merchant: Merchant, name: string): MerchantRequest {
  return { verb: "pay", merchant, requestId: name, body: payBody(name, trial.notifyUrl) };
}

async function requestPayment(trial: Trial, pay: MerchantRequest): Promise<string> {
  const answer = await pollUntil(
    () => trial.send(0, pay),
    ({ id }) => id !== undefined,
  );
  return answer.id ?? "";
}

async function completePayment(
  trial: Trial,
  { merchant, requestId }: MerchantRequest,
  paymentId: string,
): Promise<void> {
  await trial.actAsBuyer(paymentId, "approve");
  const body = { paymentRequestId: requestId };
  const inquiry: MerchantRequest = { verb: "inquiryPayment", merchant, requestId, body };
  await pollUntil(
    () => trial.send(1, inquiry),
    ({ recordStatus }) => recordStatus === "SUCCESS",
  );
}

async function pollUntil(
  poll: () => Promise<Answer | undefined>,
  isMet: (answer: Answer) => boolean,
): Promise<Answer> {
  for (let polls = 0; polls < pollsMax; polls += 1) {
    const answer = await poll();
    if (answer && isMet(answer)) return answer;
    await waitMs(250);
  }
  throw new Error("The gateway did not reach this state, although the standby is present.");
}
