import { setTimeout as waitMs } from "node:timers/promises";
import type { Answer, Verb } from "../oracle/history.ts";
import type { Merchant } from "../installation/installation.ts";
import { payBody, type Question, type Trial } from "../trial/trial.ts";

/** One commit that moves money and is interrupted while it waits for the standby. */
export interface Try {
  readonly kind: Kind;
  /** The request of the try, which the client retries at the other process. */
  readonly question: Question;
  /** The inquiry for its outcome. */
  readonly inquiry: Question;
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
const providerAnswersAfterMs = 1_200;
const paidWithinTries = 40;

/** Makes every commit that must be durable before the standby is lost. */
export async function prepareTry(trial: Trial, kind: Kind, name: string): Promise<Try> {
  const merchant = trial.random.pick(trial.installation.merchants);
  const pay = payQuestion(trial, merchant, name);
  const isNew = kind === "pay" || kind === "cancel beforehand";
  const paymentId = isNew ? undefined : await takenPayment(trial, pay);
  if (paymentId !== undefined && (kind === "refund" || kind === "reverse"))
    await paidPayment(trial, pay, paymentId);
  const asks = (verb: Verb, requestId: string, body: object): Question => ({
    verb,
    merchant,
    requestId,
    body,
  });
  const byName = { paymentRequestId: name };
  const inquiry = asks("inquiryPayment", name, byName);
  switch (kind) {
    case "settle":
    case "pay":
      return { kind, question: pay, inquiry, paymentId };
    case "cancel":
    case "cancel beforehand":
    case "reverse":
      return { kind, question: asks("cancel", name, byName), inquiry, paymentId };
    case "refund": {
      const refundRequestId = `${name}-refund`;
      const refundAmount = { currency: "EUR", value: "400" };
      const body = { refundRequestId, paymentId, refundAmount, refundNotifyUrl: trial.notifyUrl };
      const after = asks("inquiryRefund", refundRequestId, { refundRequestId });
      return { kind, question: asks("refund", refundRequestId, body), inquiry: after, paymentId };
    }
  }
}

/**
 * Starts the requests whose first commit needs the standby, and which wait for the provider when the standby is lost.
 */
export async function startEarly(trial: Trial, each: Try): Promise<void> {
  if (each.kind !== "cancel" && each.kind !== "refund" && each.kind !== "reverse") return;
  const verb = each.kind === "cancel" ? "cancel" : "refund";
  const match = { paymentId: each.paymentId, verb };
  const fault = { kind: "late-answer", match, delayMs: providerAnswersAfterMs };
  await trial.installation.control("POST", "/control/faults", fault);
  await trial.ask(0, each.question);
}

/** `startLate` starts the requests of the other kinds, after the standby is lost. */
export async function startLate(trial: Trial, each: Try): Promise<void> {
  if (each.kind === "settle") await trial.buyer(each.paymentId ?? "", "approve");
  if (each.kind === "pay" || each.kind === "cancel beforehand") await trial.ask(0, each.question);
}

/** `keepAsking` sends the try's request again, or its inquiry, at both processes in random order. */
export async function keepAsking(trial: Trial, each: Try, goesOn: () => boolean): Promise<void> {
  const { random } = trial;
  while (goesOn()) {
    await waitMs(random.between(100, 600));
    await trial.ask(random.between(0, 1), random.chance(0.5) ? each.question : each.inquiry);
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
  let [goesOn, accepted, started] = [true, 0, 0];
  const shop = async (): Promise<void> => {
    while (goesOn) {
      started += 1;
      const pay = payQuestion(trial, trial.random.pick(trial.installation.merchants), `traffic-${started}`);
      const serve = trial.random.between(0, 1);
      const id = (await trial.ask(serve, pay))?.id;
      if (id !== undefined) {
        accepted += 1;
        await trial.buyer(id, "approve");
      }
      const body = { paymentRequestId: pay.requestId };
      await trial.ask(1 - serve, { ...pay, verb: "inquiryPayment", body });
      await waitMs(trial.random.between(50, 250));
    }
  };
  const shopping = Promise.all(Array.from({ length: buyersAtOnce }, shop));
  return {
    acceptedCount: () => accepted,
    async stop() {
      goesOn = false;
      await shopping;
    },
  };
}

function payQuestion(trial: Trial, merchant: Merchant, name: string): Question {
  return { verb: "pay", merchant, requestId: name, body: payBody(name, trial.notifyUrl) };
}

async function takenPayment(trial: Trial, pay: Question): Promise<string> {
  const answer = await untilAnswered(
    () => trial.ask(0, pay),
    ({ id }) => id !== undefined,
  );
  return answer.id ?? "";
}

async function paidPayment(
  trial: Trial,
  { merchant, requestId }: Question,
  paymentId: string,
): Promise<void> {
  await trial.buyer(paymentId, "approve");
  const body = { paymentRequestId: requestId };
  const inquiry: Question = { verb: "inquiryPayment", merchant, requestId, body };
  await untilAnswered(
    () => trial.ask(1, inquiry),
    ({ recordStatus }) => recordStatus === "SUCCESS",
  );
}

async function untilAnswered(
  ask: () => Promise<Answer | undefined>,
  isSo: (answer: Answer) => boolean,
): Promise<Answer> {
  for (let tries = 0; tries < paidWithinTries; tries += 1) {
    const answer = await ask();
    if (answer && isSo(answer)) return answer;
    await waitMs(250);
  }
  throw new Error("The gateway did not reach this state, although the standby is present.");
}
