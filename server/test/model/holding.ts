import assert from "node:assert/strict";
import type { TestMerchant } from "../start/test-gateway.ts";
import { takenBy } from "./dispute-model.ts";
import {
  narrow,
  spread,
  sum,
  viewsOf,
  type ModelPayment,
  type Move,
  type Status,
  type View,
} from "./merchant-model.ts";
import type { ModelAgreement } from "./token-model.ts";
import { allowedBy } from "./what-follows.ts";
import type { Answer, World } from "./world.ts";

/** What the commands of a run share: the model's payments, and what buyers have agreed to. */
export interface Model {
  readonly payments: ModelPayment[];
  readonly agreements: ModelAgreement[];
  /** The stranger's own payments, by request id. */
  readonly strangers: Map<string, string>;
}

/** The real side of a run. */
export interface Real {
  readonly world: World;
  readonly merchant: TestMerchant;
  /** Makes ids that no other run has used. */
  newRequestId(): string;
  readonly tally: Tally;
}

/** What was done, over all runs. */
export interface Tally {
  commands: number;
  /** How often each kind of command came. */
  readonly kinds: Map<string, number>;
  /** Request ids that were given out. */
  requests: number;
  runs: number;
  /** Answers of "unknown" although nobody had set a fault: a busy machine has a few. */
  unexplained: number;
}

/** The views that an answer fits. An answer that fits none is what this is all for. */
export function fittingViews(
  payment: ModelPayment,
  answer: Answer,
  codeIn: (view: View) => string,
  goingAhead: readonly string[],
): readonly View[] {
  const views = viewsOf(payment);
  const fitting = views.filter((view) => allowedBy(codeIn(view), goingAhead).includes(answer.code));
  const allowed = new Set(views.flatMap((view) => allowedBy(codeIn(view), goingAhead)));
  assert.ok(fitting.length > 0, `${answer.code}, not ${[...allowed].join(" or ")}: ${described(payment)}`);
  return fitting;
}

export function described(payment: ModelPayment): string {
  return JSON.stringify(payment, (_key, value: unknown) => {
    if (value instanceof Set) return [...(value as Set<unknown>)];
    return typeof value === "bigint" ? Number(value) : value;
  });
}

/** Counts an answer of "unknown" that neither a fault nor the buyer explains. */
export function countUnknown({ tally }: Real, payment: ModelPayment, isExplained: boolean): void {
  if (!isExplained && !payment.isFaulty) tally.unexplained += 1;
}

const patienceMs = 20_000;

/** Asks until it is final, as a merchant does; what waits for its next try is hurried along. */
export async function untilFinal(
  { world }: Real,
  ask: () => Promise<Answer>,
  isFinal = (answer: Answer) => answer.status !== "U",
): Promise<Answer> {
  const giveUpAtMs = performance.now() + patienceMs;
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 200)) {
    const answer = await ask();
    if (isFinal(answer)) return answer;
    assert.ok(performance.now() < giveUpAtMs, `Not final: ${JSON.stringify(answer.json)}`);
    await world.hurry();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Inquires, and holds everything that the answer says against the model. */
export async function inquire(
  real: Real,
  payment: ModelPayment,
  by: "paymentId" | "paymentRequestId",
): Promise<Answer> {
  const { paymentId, requestId: paymentRequestId } = payment;
  const asked = by === "paymentId" ? { paymentId } : { paymentRequestId };
  const answer = await real.world.call(real.merchant, "inquiryPayment", asked);
  assert.equal(answer.code, "SUCCESS", described(payment));
  const { json } = answer;
  const status = json["paymentStatus"] as Status;
  assert.ok(payment.may.has(status), `It stands at ${status}: ${described(payment)}`);
  assert.equal(json["paymentId"], paymentId);
  assert.equal(json["paymentRequestId"], paymentRequestId);
  sawSequence(payment, json["sequence"]);
  narrow(payment, [status]);
  spread(payment);
  const reason = { SUCCESS: "SUCCESS", CANCELLED: "ORDER_IS_CANCELED", FAIL: payment.failure }[
    status as "FAIL"
  ];
  assert.equal(json["paymentResultCode"], reason ?? "PAYMENT_IN_PROCESS", described(payment));
  if (payment.chosen !== undefined) assert.equal(json["paymentMethodType"], payment.chosen);
  checkTransactions(payment, (json["transactions"] ?? []) as readonly Transaction[]);
  return answer;
}

export function sawSequence(payment: ModelPayment, sequence: unknown): void {
  assert.ok(
    Number(sequence) >= payment.sequence,
    `The sequence fell to ${String(sequence)}: ${described(payment)}`,
  );
  payment.sequence = Number(sequence);
}

interface Transaction {
  readonly transactionType: "CAPTURE" | "REFUND" | "CANCEL";
  readonly transactionStatus: "PROCESSING" | "SUCCESS" | "FAIL";
  readonly transactionId: string;
  readonly transactionRequestId: string;
  readonly transactionAmount: { readonly value: string };
}

function checkTransactions(payment: ModelPayment, transactions: readonly Transaction[]): void {
  const { content, captures, refunds, disputes, wasPaidLate, wasHeld, hasLapsed } = payment;
  const amountMinor = content?.amountMinor ?? 0n;
  for (const move of captures) sawMove(payment, move, transactions);
  for (const move of refunds) sawMove(payment, move, transactions);
  const taken = content?.isManual ? sum(captures, ["SUCCESS"]) : amountMinor;
  assert.ok(sum(captures) <= amountMinor, described(payment));
  assert.ok(sum(refunds, ["SUCCESS"]) + takenBy(disputes) <= taken, described(payment));

  const asked = new Set([...captures, ...refunds].map(({ requestId }) => requestId));
  const unasked = transactions.filter(({ transactionRequestId }) => !asked.has(transactionRequestId));
  for (const { transactionType, transactionStatus, transactionAmount } of unasked) {
    const isRight = {
      // One that failed for a hold that is gone.
      CAPTURE: transactionStatus !== "SUCCESS" && hasLapsed !== "no",
      // One that failed for a dispute, which the wallet knew of first.
      REFUND: transactionStatus === "FAIL" ? payment.mayHaveFailed : wasPaidLate || wasHeld,
      CANCEL:
        payment.isReversing !== "no" || payment.isReversalRefused !== "no" || payment.may.has("CANCELLED"),
    }[transactionType];
    assert.ok(isRight, `Nobody asked for this ${transactionType}: ${described(payment)}`);
    const isWhole =
      transactionType === "CANCEL" || (transactionType === "REFUND" && transactionStatus !== "FAIL");
    if (isWhole) assert.equal(BigInt(transactionAmount.value), amountMinor);
  }
}

function sawMove(payment: ModelPayment, move: Move, transactions: readonly Transaction[]): void {
  const seen = transactions.filter(({ transactionRequestId }) => transactionRequestId === move.requestId);
  assert.equal(seen.length, 1, `${move.requestId} is there ${seen.length} times: ${described(payment)}`);
  const [{ transactionStatus, transactionId, transactionAmount } = assert.fail()] = seen;
  assert.equal(transactionId, move.id);
  assert.equal(BigInt(transactionAmount.value), move.amountMinor);
  if (transactionStatus === "PROCESSING") assert.equal(move.state, "under way", described(payment));
  else endMove(payment, move, transactionStatus);
}

/** Ends a capture or a refund as it was seen to end; what has ended before stays. */
export function endMove(payment: ModelPayment, move: Move, state: "SUCCESS" | "FAIL"): void {
  const hasLapsed = payment.captures.includes(move) ? payment.hasLapsed : "no";
  const isRight = state === "SUCCESS" ? hasLapsed !== "yes" : hasLapsed !== "no" || move.mayFail;
  if (move.state === "under way" && isRight) move.state = state;
  assert.equal(state, move.state, `${move.requestId} is ${state}: ${described(payment)}`);
}
