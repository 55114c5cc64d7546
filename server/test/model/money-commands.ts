import assert from "node:assert/strict";
import fc from "fast-check";
import { providerReference } from "../../src/core/provider-reference.ts";
import { newCommand, selectPayment, arbitraryTarget } from "./model-command.ts";
import { blockedByDisputes } from "./dispute-model.ts";
import {
  countUnknown,
  describePayment,
  endMove,
  matchingViewsOf,
  repeatUntilFinal,
  type Model,
  type Real,
} from "./run-context.ts";
import {
  cancelCode,
  captureCode,
  mayBeRefused,
  newPayment,
  refundCode,
  sum,
  type ModelPayment,
  type Move,
  type MoveRequest,
} from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { afterCancel, afterMove } from "./expected-effects.ts";
import { notRejected } from "./model-types.ts";
import type { Answer } from "./real-system.ts";

const arbitraryIdChoice = fc.constantFrom("by paymentId", "by paymentRequestId", "by both");

/**
 * Commands that cancel a payment. The merchant retries an unknown outcome until it is final, or leaves it for later.
 */
export const cancelCommands = fc
  .tuple(arbitraryTarget, arbitraryIdChoice, someCallFault, fc.boolean())
  .map(([target, idChoice, fault, isPatient]) =>
    newCommand(`cancel ${target.name} ${idChoice}${isPatient ? " patiently" : ""}`, fault, {
      check: (model) => model.payments.length > 0,
      async run(model, real) {
        const payment = selectPayment(model, target);
        if (fault) await setFault(real, payment, fault);
        const answer = await cancel(real, payment, idChoice);
        if (isPatient && answer.status === "U")
          await repeatUntilFinal(real, () => cancel(real, payment, idChoice));
      },
    }),
  );

export async function cancel(real: Real, payment: ModelPayment, idChoice: string): Promise<Answer> {
  const { paymentId, requestId: paymentRequestId } = payment;
  const request = {
    ...(idChoice !== "by paymentRequestId" && { paymentId }),
    ...(idChoice !== "by paymentId" && { paymentRequestId }),
  };
  const answer = await real.system.call(real.merchant, "cancel", request);
  const mayFail =
    payment.isReversalRefused !== "no" || mayBeRefused(payment, payment.content?.amountMinor ?? 0n);
  const views = matchingViewsOf(payment, answer, (view) => cancelCode(view, payment), [
    "SUCCESS",
    "UNKNOWN_EXCEPTION",
    ...(mayFail ? ["PROCESS_FAIL"] : []),
  ]);
  if (answer.code === "SUCCESS") assert.equal(answer.json["paymentId"], paymentId);
  const { order, possibleStatuses, isReversing, cancelWanted } = payment;
  const wasPaidFirst = possibleStatuses.has("PROCESSING") && (order === "PAID" || order === "HELD");
  if (answer.status === "U")
    countUnknown(real, payment, wasPaidFirst || isReversing !== "no" || cancelWanted !== "no");
  afterCancel(payment, answer.code, views);
  return answer;
}

/**
 * Commands that cancel an unknown payment. An unused request id gets a tombstone, and an unused payment id is not
 * found.
 */
export const cancelUnknownCommands = fc.boolean().map((byRequest) =>
  newCommand(`cancel an unknown ${byRequest ? "paymentRequestId" : "paymentId"}`, undefined, {
    async run(model, real) {
      const requestId = real.newRequestId();
      const request = byRequest ? { paymentRequestId: requestId } : { paymentId: requestId };
      const { code, json } = await real.system.call(real.merchant, "cancel", request);
      assert.equal(code, byRequest ? "SUCCESS" : "ORDER_NOT_EXIST");
      if (!byRequest) return;
      const paymentId = String(json["paymentId"]);
      model.payments.push(newPayment({ requestId, paymentId, content: undefined }, false));
    },
  }),
);

/** The share of the remaining amount: a part, the rest, or one minor unit too much. */
const someShare = fc.constantFrom("a part", "a part", "the rest", "too much", "another currency");

/** The differences between captures and refunds, whose commands are otherwise the same. */
interface MoveKind {
  readonly verb: "capture" | "refund";
  readonly unknown: string;
  /** The result code if the provider did not execute the capture or refund. */
  readonly failed: string;
  /** Returns whether the request is likely to succeed. */
  isLikely(payment: ModelPayment): boolean;
  movesOf(payment: ModelPayment): Move[];
  leftMinor(payment: ModelPayment): bigint;
  readonly code: typeof captureCode;
  body(requestId: string, payment: ModelPayment, amount: object, isLast: boolean): object;
}

const capturing: MoveKind = {
  verb: "capture",
  unknown: "CAPTURE_IN_PROCESS",
  failed: "ORDER_STATUS_INVALID",
  isLikely: ({ content, possibleStatuses }) => content?.isManual === true && possibleStatuses.has("SUCCESS"),
  movesOf: ({ captures }) => captures,
  leftMinor: ({ content, captures }) => (content?.amountMinor ?? 0n) - sum(captures),
  code: captureCode,
  body: (captureRequestId, { paymentId }, captureAmount, isLast) => ({
    captureRequestId,
    paymentId,
    captureAmount,
    ...(isLast && { isLastCapture: true }),
  }),
};

const refunding: MoveKind = {
  verb: "refund",
  unknown: "REFUND_IN_PROCESS",
  failed: "REFUND_AMOUNT_EXCEED",
  isLikely: ({ possibleStatuses, captures, content }) =>
    possibleStatuses.has("SUCCESS") && (!content?.isManual || captures.length > 0),
  movesOf: ({ refunds }) => refunds,
  leftMinor({ content, captures, refunds, disputes }) {
    const takenMinor = content?.isManual ? sum(captures) : (content?.amountMinor ?? 0n);
    return takenMinor - sum(refunds) - blockedByDisputes(disputes).highMinor;
  },
  code: refundCode,
  body: (refundRequestId, { paymentId }, refundAmount) => ({ refundRequestId, paymentId, refundAmount }),
};

/** Faults of a capture or a refund. "fails later": the provider accepts it, and fails it soon after. */
const someMoveFault = (pending: string): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    { weight: 5, arbitrary: someCallFault },
    { weight: 1, arbitrary: fc.constantFrom(pending, "fails later") },
  );

export const captureCommands = moveCommands(capturing, someMoveFault("capture-pending"));
export const refundCommands = moveCommands(refunding, someMoveFault("refund-pending"));

/** Commands with which a refund fails after it succeeded, and the gateway learns of it. */
export const reverseRefundCommands = fc.tuple(arbitraryTarget, fc.nat()).map(([target, nth]) => {
  const succeeded = ({ refunds }: ModelPayment): readonly Move[] =>
    refunds.filter(({ state }) => state === "SUCCESS");
  const hasSucceeded = (payment: ModelPayment): boolean => succeeded(payment).length > 0;
  return newCommand(`reverse refund ${nth} of ${target.name}`, undefined, {
    check: (model) => model.payments.length > 0 && hasSucceeded(selectPayment(model, target, hasSucceeded)),
    async run(model, real) {
      const refunds = succeeded(selectPayment(model, target, hasSucceeded));
      const refund = refunds[nth % refunds.length] ?? assert.fail();
      const { system, merchant } = real;
      const reference = providerReference("sandbox", merchant.clientId, "refund", refund.requestId);
      const { status, text } = await system.provider.failRefund(reference);
      assert.equal(status, 200, text);
      await repeatUntilFinal(
        real,
        () => system.call(merchant, "inquiryRefund", { refundId: refund.id }),
        ({ json }) => json["refundStatus"] === "FAIL",
      );
      refund.state = "FAIL";
    },
  });
});

function moveCommands(kind: MoveKind, someFault: fc.Arbitrary<string | undefined>) {
  return fc
    .tuple(arbitraryTarget, someShare, fc.constantFrom(false, false, true), fc.boolean(), someFault)
    .map(([target, share, isLastAsked, isPatient, fault]) => {
      const isLast = kind.verb === "capture" && isLastAsked;
      const name = `${kind.verb} ${share} of ${target.name}${isLast ? ", the last" : ""}`;
      return newCommand(`${name}${isPatient ? " patiently" : ""}`, fault, {
        check: (model) =>
          model.payments.length > 0 && selectPayment(model, target, kind.isLikely).content !== undefined,
        async run(model, real) {
          const payment = selectPayment(model, target, kind.isLikely);
          if (fault) await setMoveFault(real, kind, payment, fault);
          const { amountMinor, currency } = amountOf(kind.leftMinor(payment), share);
          const request = { amountMinor, currency, isLast, requestId: real.newRequestId() };
          const move = await sendFirst(real, kind, payment, request);
          if (move && isPatient) await waitUntilEnded(real, kind, payment, move);
        },
      });
    });
}

function amountOf(leftMinor: bigint, share: string): MoveRequest {
  const currency = share === "another currency" ? "USD" : "EUR";
  if (share === "too much") return { amountMinor: leftMinor + 1n, currency };
  const part = share === "a part" ? leftMinor / 3n : leftMinor;
  return { amountMinor: part > 0n ? part : 1n, currency };
}

type NewMove = MoveRequest & Pick<Move, "requestId" | "isLast">;

/** Sends the first request. Returns undefined if it was rejected. */
async function sendFirst(
  real: Real,
  kind: MoveKind,
  payment: ModelPayment,
  request: NewMove,
): Promise<Move | undefined> {
  const answer = await send(real, kind, payment, request);
  const mayLapse = kind.verb === "capture" && payment.hasLapsed !== "no";
  const mayFailLater = payment.mayFailLater[kind.verb];
  const mayFail = kind.verb === "refund" ? mayBeRefused(payment, request.amountMinor) : mayFailLater;
  const codesIfAccepted = [
    kind.unknown,
    ...(mayLapse || mayFail ? [kind.failed] : []),
    ...(mayFailLater ? ["PROCESS_FAIL"] : []),
    ...(mayLapse && payment.hasLapsed === "yes" ? [] : ["SUCCESS"]),
  ];
  const views = matchingViewsOf(
    payment,
    answer,
    (view) => kind.code(view, payment, request),
    codesIfAccepted,
  );
  const isAccepted = answer.status !== "F";
  afterMove(payment, views, isAccepted);
  if (!isAccepted && mayFail && views.some((view) => kind.code(view, payment, request) === notRejected))
    payment.mayHaveFailed = true;
  if (!isAccepted) return undefined;
  if (answer.status === "U") countUnknown(real, payment, false);
  if (answer.status === "S" && kind.verb === "capture") payment.hasLapsed = "no";
  const { requestId, amountMinor, isLast } = request;
  const id = String(answer.json[`${kind.verb}Id`]);
  const move: Move = {
    requestId,
    amountMinor,
    isLast,
    id,
    state: answer.status === "S" ? "SUCCESS" : "under way",
    mayFail,
  };
  kind.movesOf(payment).push(move);
  return move;
}

/** Repeats an accepted request: it is the same move, with the same final status. */
async function repeatMove(real: Real, kind: MoveKind, payment: ModelPayment, move: Move): Promise<Answer> {
  const answer = await send(real, kind, payment, { ...move, currency: "EUR" });
  if (answer.status === "U")
    assert.deepEqual([answer.code, move.state], [kind.unknown, "under way"], describePayment(payment));
  else endMove(payment, move, answer.code === "SUCCESS" ? "SUCCESS" : "FAIL");
  if (answer.status === "F") assert.ok([kind.failed, "PROCESS_FAIL"].includes(answer.code), answer.code);
  else assert.equal(answer.json[`${kind.verb}Id`], move.id);
  return answer;
}

async function waitUntilEnded(real: Real, kind: MoveKind, payment: ModelPayment, move: Move): Promise<void> {
  if (move.state === "under way") await repeatUntilFinal(real, () => repeatMove(real, kind, payment, move));
}

/** `endMoves` waits at the end of a run until all captures and refunds in progress are final. */
export async function endMoves(real: Real, payment: ModelPayment): Promise<void> {
  for (const move of payment.captures) await waitUntilEnded(real, capturing, payment, move);
  for (const move of payment.refunds) await waitUntilEnded(real, refunding, payment, move);
}

export const repeatCaptureCommands = repeatCommands(capturing);
export const repeatRefundCommands = repeatCommands(refunding);

function repeatCommands(kind: MoveKind) {
  const hasMoves = (payment: ModelPayment): boolean => kind.movesOf(payment).length > 0;
  const someChange = fc.constantFrom("nothing", "nothing", "the amount", "the payment");
  return fc.tuple(arbitraryTarget, fc.nat(), someChange).map(([target, nth, changed]) =>
    newCommand(`repeat ${kind.verb} ${nth} of ${target.name} with ${changed} changed`, undefined, {
      check: (model) =>
        model.payments.length > 0 && kind.movesOf(selectPayment(model, target, hasMoves)).length > 0,
      async run(model, real) {
        const payment = selectPayment(model, target, hasMoves);
        const moves = kind.movesOf(payment);
        const move = moves[nth % moves.length] ?? assert.fail();
        if (changed === "nothing") return void (await repeatMove(real, kind, payment, move));
        await repeatWithChange(model, real, kind, { payment, move, isOther: changed === "the payment" });
      },
    }),
  );
}

async function repeatWithChange(
  model: Model,
  real: Real,
  kind: MoveKind,
  { payment, move, isOther }: { payment: ModelPayment; move: Move; isOther: boolean },
): Promise<void> {
  const otherPayment = model.payments.find((each) => each !== payment);
  const target = isOther && otherPayment ? otherPayment : payment;
  const amountMinor = target === payment ? move.amountMinor + 1n : move.amountMinor;
  const { code } = await send(real, kind, target, { ...move, amountMinor, currency: "EUR" });
  assert.equal(code, "REPEAT_REQ_INCONSISTENT");
}

function send(
  { system, merchant }: Real,
  kind: MoveKind,
  payment: ModelPayment,
  request: NewMove,
): Promise<Answer> {
  const { requestId, amountMinor, currency, isLast } = request;
  const amount = { currency, value: String(amountMinor) };
  return system.call(merchant, kind.verb, kind.body(requestId, payment, amount, isLast));
}

/** Sets a fault of the payment's next capture or refund, or of one in progress that the provider does not have yet. */
async function setMoveFault(
  real: Real,
  { verb, movesOf }: MoveKind,
  payment: ModelPayment,
  kind: string,
): Promise<void> {
  if (kind !== "fails later") return setFault(real, payment, kind);
  // The return of a late success is a refund, too. Its failure would leave the money in suspense.
  if (!payment.sawSuccess) return;
  payment.isFaulty = true;
  payment.mayFailLater[verb] = true;
  for (const move of movesOf(payment)) if (move.state === "under way") move.mayFail = true;
  const match = { paymentId: payment.paymentId, verb };
  const fault = {
    kind: `${verb}-pending`,
    match,
    delayMs: 200,
    outcome: "FAILED",
    resultCode: "PROCESS_FAIL",
  };
  await real.system.provider.fault(fault);
}

async function setFault({ system }: Real, payment: ModelPayment, kind: string): Promise<void> {
  payment.isFaulty = true;
  const { paymentId } = payment;
  await system.provider.fault({ kind, match: { paymentId }, delayMs: 200 });
}
