import assert from "node:assert/strict";
import type { TestMerchant } from "../start/test-gateway.ts";
import { takenByDisputes } from "./dispute-model.ts";
import {
  discardImpossibleStatuses,
  addReachableStatuses,
  sum,
  viewsOf,
  type ModelPayment,
  type Move,
  type Status,
  type GatewayView,
} from "./merchant-model.ts";
import type { ModelAgreement } from "./token-model.ts";
import { allowedBy } from "./expected-effects.ts";
import type { Answer, RealSystem } from "./real-system.ts";

/** Shared by the commands of a run: the model's payments, and buyers' consents. */
export interface Model {
  readonly payments: ModelPayment[];
  readonly agreements: ModelAgreement[];
  /** The payments of the second merchant. The key is the request id. */
  readonly outsiderPayments: Map<string, string>;
}

/** The real gateway of a run. */
export interface Real {
  readonly system: RealSystem;
  readonly merchant: TestMerchant;
  /** Creates ids that no other run has used. */
  newRequestId(): string;
  readonly tally: Tally;
}

/** Counts over all runs. */
export interface Tally {
  commands: number;
  /** How often each kind of command ran. */
  readonly kinds: Map<string, number>;
  /** The number of created request ids. */
  requests: number;
  runs: number;
  /** Number of unknown outcomes without a fault. A few occur on a busy machine. */
  unexplained: number;
}

/** The views that fit a response. A response that fits no view is a bug in the gateway. */
export function matchingViewsOf(
  payment: ModelPayment,
  answer: Answer,
  codeIn: (view: GatewayView) => string,
  goingAhead: readonly string[],
): readonly GatewayView[] {
  const views = viewsOf(payment);
  const matching = views.filter((view) => allowedBy(codeIn(view), goingAhead).includes(answer.code));
  const allowed = new Set(views.flatMap((view) => allowedBy(codeIn(view), goingAhead)));
  assert.ok(
    matching.length > 0,
    `${answer.code}, not ${[...allowed].join(" or ")}: ${describePayment(payment)}`,
  );
  return matching;
}

export function describePayment(payment: ModelPayment): string {
  return JSON.stringify(payment, (_key, value: unknown) => {
    if (value instanceof Set) return [...(value as Set<unknown>)];
    return typeof value === "bigint" ? Number(value) : value;
  });
}

/** Counts an unknown outcome that neither a fault nor the buyer explains. */
export function countUnknown({ tally }: Real, payment: ModelPayment, isExplained: boolean): void {
  if (!isExplained && !payment.isFaulty) tally.unexplained += 1;
}

/** More than the provider's pauses between callbacks, 0, 1, 2, 5, 10 and 30 s: a fault can drop several of them. */
const finalWithinMs = 60_000;

/**
 * Repeats the request until its outcome is final, as a merchant does; a job that waits for its next attempt is made
 * due.
 */
export async function repeatUntilFinal(
  { system }: Real,
  ask: () => Promise<Answer>,
  isFinal = (answer: Answer) => answer.status !== "U",
): Promise<Answer> {
  const giveUpAtMs = performance.now() + finalWithinMs;
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 200)) {
    const answer = await ask();
    if (isFinal(answer)) return answer;
    assert.ok(performance.now() < giveUpAtMs, `Not final: ${JSON.stringify(answer.json)}`);
    await system.makeJobsDue();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Inquires the payment, and compares the whole response with the model. */
export async function inquire(
  real: Real,
  payment: ModelPayment,
  by: "paymentId" | "paymentRequestId",
): Promise<Answer> {
  const { paymentId, requestId: paymentRequestId } = payment;
  const inquiry = by === "paymentId" ? { paymentId } : { paymentRequestId };
  const answer = await real.system.call(real.merchant, "inquiryPayment", inquiry);
  assert.equal(answer.code, "SUCCESS", describePayment(payment));
  const { json } = answer;
  const status = json["paymentStatus"] as Status;
  assert.ok(payment.possibleStatuses.has(status), `It stands at ${status}: ${describePayment(payment)}`);
  assert.equal(json["paymentId"], paymentId);
  assert.equal(json["paymentRequestId"], paymentRequestId);
  recordSequence(payment, json["sequence"]);
  discardImpossibleStatuses(payment, [status]);
  addReachableStatuses(payment);
  const reason = { SUCCESS: "SUCCESS", CANCELLED: "ORDER_IS_CANCELED", FAIL: payment.failure }[
    status as "FAIL"
  ];
  assert.equal(json["paymentResultCode"], reason ?? "PAYMENT_IN_PROCESS", describePayment(payment));
  if (payment.chosenMethod !== undefined) assert.equal(json["paymentMethodType"], payment.chosenMethod);
  compareTransactions(payment, (json["transactions"] ?? []) as readonly Transaction[]);
  return answer;
}

export function recordSequence(payment: ModelPayment, sequence: unknown): void {
  assert.ok(
    Number(sequence) >= payment.sequence,
    `The sequence fell to ${String(sequence)}: ${describePayment(payment)}`,
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

function compareTransactions(payment: ModelPayment, transactions: readonly Transaction[]): void {
  const { content, captures, refunds, disputes, wasPaidLate, wasHeld, hasLapsed } = payment;
  const amountMinor = content?.amountMinor ?? 0n;
  for (const move of captures) recordMoveStatus(payment, move, transactions);
  for (const move of refunds) recordMoveStatus(payment, move, transactions);
  const takenMinor = content?.isManual ? sum(captures, ["SUCCESS"]) : amountMinor;
  assert.ok(sum(captures) <= amountMinor, describePayment(payment));
  assert.ok(sum(refunds, ["SUCCESS"]) + takenByDisputes(disputes) <= takenMinor, describePayment(payment));

  const requestedIds = new Set([...captures, ...refunds].map(({ requestId }) => requestId));
  const unrequested = transactions.filter(
    ({ transactionRequestId }) => !requestedIds.has(transactionRequestId),
  );
  for (const { transactionType, transactionStatus, transactionAmount } of unrequested) {
    const isRight = {
      // A capture that failed because its authorization hold had lapsed, or that the provider failed later.
      CAPTURE: transactionStatus !== "SUCCESS" && (hasLapsed !== "no" || payment.mayFailLater.capture),
      // A refund that failed because of a dispute that the provider knew first.
      REFUND: transactionStatus === "FAIL" ? payment.mayHaveFailed : wasPaidLate || wasHeld,
      CANCEL:
        payment.isReversing !== "no" ||
        payment.isReversalRefused !== "no" ||
        payment.possibleStatuses.has("CANCELLED"),
    }[transactionType];
    assert.ok(isRight, `No request for this ${transactionType}: ${describePayment(payment)}`);
    const isWhole =
      transactionType === "CANCEL" || (transactionType === "REFUND" && transactionStatus !== "FAIL");
    if (isWhole) assert.equal(BigInt(transactionAmount.value), amountMinor);
  }
}

function recordMoveStatus(payment: ModelPayment, move: Move, transactions: readonly Transaction[]): void {
  const seen = transactions.filter(({ transactionRequestId }) => transactionRequestId === move.requestId);
  assert.equal(
    seen.length,
    1,
    `${move.requestId} is there ${seen.length} times: ${describePayment(payment)}`,
  );
  const [{ transactionStatus, transactionId, transactionAmount } = assert.fail()] = seen;
  assert.equal(transactionId, move.id);
  assert.equal(BigInt(transactionAmount.value), move.amountMinor);
  if (transactionStatus === "PROCESSING") assert.equal(move.state, "under way", describePayment(payment));
  else endMove(payment, move, transactionStatus);
}

/** `endMove` sets the observed final state of a capture or a refund, if it has none yet. */
export function endMove(payment: ModelPayment, move: Move, state: "SUCCESS" | "FAIL"): void {
  const hasLapsed = payment.captures.includes(move) ? payment.hasLapsed : "no";
  const isRight = state === "SUCCESS" ? hasLapsed !== "yes" : hasLapsed !== "no" || move.mayFail;
  if (move.state === "under way" && isRight) move.state = state;
  assert.equal(state, move.state, `${move.requestId} is ${state}: ${describePayment(payment)}`);
}
