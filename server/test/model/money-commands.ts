import assert from "node:assert/strict";
import fc from "fast-check";
import { command, paymentAt, someTarget } from "./command.ts";
import { countedBy } from "./dispute-model.ts";
import {
  countUnknown,
  described,
  endMove,
  fittingViews,
  untilFinal,
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
  type MoveAsked,
} from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { afterCancel, afterMove } from "./expected-effects.ts";
import { goesAhead } from "./model-types.ts";
import type { Answer } from "./world.ts";

const someWay = fc.constantFrom("by paymentId", "by paymentRequestId", "by both");

/**
 * Commands that cancel a payment. The merchant retries an unknown outcome until it is final, or leaves it for later.
 */
export const cancels = fc
  .tuple(someTarget, someWay, someCallFault, fc.boolean())
  .map(([which, way, fault, isPatient]) =>
    command(`cancel ${which.name} ${way}${isPatient ? " patiently" : ""}`, fault, {
      check: (model) => model.payments.length > 0,
      async run(model, real) {
        const payment = paymentAt(model, which);
        if (fault) await setFault(real, payment, fault);
        const answer = await cancel(real, payment, way);
        if (isPatient && answer.status === "U") await untilFinal(real, () => cancel(real, payment, way));
      },
    }),
  );

export async function cancel(real: Real, payment: ModelPayment, way: string): Promise<Answer> {
  const { paymentId, requestId: paymentRequestId } = payment;
  const asked = {
    ...(way !== "by paymentRequestId" && { paymentId }),
    ...(way !== "by paymentId" && { paymentRequestId }),
  };
  const answer = await real.world.call(real.merchant, "cancel", asked);
  const mayFail =
    payment.isReversalRefused !== "no" || mayBeRefused(payment, payment.content?.amountMinor ?? 0n);
  const views = fittingViews(payment, answer, (view) => cancelCode(view, payment), [
    "SUCCESS",
    "UNKNOWN_EXCEPTION",
    ...(mayFail ? ["PROCESS_FAIL"] : []),
  ]);
  if (answer.code === "SUCCESS") assert.equal(answer.json["paymentId"], paymentId);
  const { order, may, isReversing, cancelWanted } = payment;
  const wasQuicker = may.has("PROCESSING") && (order === "PAID" || order === "HELD");
  if (answer.status === "U")
    countUnknown(real, payment, wasQuicker || isReversing !== "no" || cancelWanted !== "no");
  afterCancel(payment, answer.code, views);
  return answer;
}

/**
 * Commands that cancel an unknown payment. An unused request id gets a tombstone, and an unused payment id is not
 * found.
 */
export const cancelsUnknown = fc.boolean().map((byRequest) =>
  command(`cancel an unknown ${byRequest ? "paymentRequestId" : "paymentId"}`, undefined, {
    async run(model, real) {
      const requestId = real.newRequestId();
      const asked = byRequest ? { paymentRequestId: requestId } : { paymentId: requestId };
      const { code, json } = await real.world.call(real.merchant, "cancel", asked);
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
interface Kind {
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

const capturing: Kind = {
  verb: "capture",
  unknown: "CAPTURE_IN_PROCESS",
  failed: "ORDER_STATUS_INVALID",
  isLikely: ({ content, may }) => content?.isManual === true && may.has("SUCCESS"),
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

const refunding: Kind = {
  verb: "refund",
  unknown: "REFUND_IN_PROCESS",
  failed: "REFUND_AMOUNT_EXCEED",
  isLikely: ({ may, captures, content }) => may.has("SUCCESS") && (!content?.isManual || captures.length > 0),
  movesOf: ({ refunds }) => refunds,
  leftMinor({ content, captures, refunds, disputes }) {
    const takenMinor = content?.isManual ? sum(captures) : (content?.amountMinor ?? 0n);
    return takenMinor - sum(refunds) - countedBy(disputes).highMinor;
  },
  code: refundCode,
  body: (refundRequestId, { paymentId }, refundAmount) => ({ refundRequestId, paymentId, refundAmount }),
};

export const captures = moves(capturing, someCallFault);
export const refunds = moves(
  refunding,
  fc.oneof({ weight: 5, arbitrary: someCallFault }, { weight: 1, arbitrary: fc.constant("refund-pending") }),
);

function moves(kind: Kind, someFault: fc.Arbitrary<string | undefined>) {
  return fc
    .tuple(someTarget, someShare, fc.constantFrom(false, false, true), fc.boolean(), someFault)
    .map(([which, share, isLastAsked, isPatient, fault]) => {
      const isLast = kind.verb === "capture" && isLastAsked;
      const name = `${kind.verb} ${share} of ${which.name}${isLast ? ", the last" : ""}`;
      return command(`${name}${isPatient ? " patiently" : ""}`, fault, {
        check: (model) =>
          model.payments.length > 0 && paymentAt(model, which, kind.isLikely).content !== undefined,
        async run(model, real) {
          const payment = paymentAt(model, which, kind.isLikely);
          if (fault) await setFault(real, payment, fault);
          const { amountMinor, currency } = amountOf(kind.leftMinor(payment), share);
          const asked = { amountMinor, currency, isLast, requestId: real.newRequestId() };
          const move = await ask(real, kind, payment, asked);
          if (move && isPatient) await untilEnded(real, kind, payment, move);
        },
      });
    });
}

function amountOf(leftMinor: bigint, share: string): MoveAsked {
  const currency = share === "another currency" ? "USD" : "EUR";
  if (share === "too much") return { amountMinor: leftMinor + 1n, currency };
  const part = share === "a part" ? leftMinor / 3n : leftMinor;
  return { amountMinor: part > 0n ? part : 1n, currency };
}

type Asked = MoveAsked & Pick<Move, "requestId" | "isLast">;

/** Sends the first request. Returns undefined if it was rejected. */
async function ask(real: Real, kind: Kind, payment: ModelPayment, asked: Asked): Promise<Move | undefined> {
  const answer = await send(real, kind, payment, asked);
  const mayLapse = kind.verb === "capture" && payment.hasLapsed !== "no";
  const mayFail = kind.verb === "refund" && mayBeRefused(payment, asked.amountMinor);
  const goingAhead = [
    kind.unknown,
    ...(mayLapse || mayFail ? [kind.failed] : []),
    ...(mayLapse && payment.hasLapsed === "yes" ? [] : ["SUCCESS"]),
  ];
  const views = fittingViews(payment, answer, (view) => kind.code(view, payment, asked), goingAhead);
  const isTaken = answer.status !== "F";
  afterMove(payment, views, isTaken);
  if (!isTaken && mayFail && views.some((view) => kind.code(view, payment, asked) === goesAhead))
    payment.mayHaveFailed = true;
  if (!isTaken) return undefined;
  if (answer.status === "U") countUnknown(real, payment, false);
  if (answer.status === "S" && kind.verb === "capture") payment.hasLapsed = "no";
  const { requestId, amountMinor, isLast } = asked;
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
async function askAgain(real: Real, kind: Kind, payment: ModelPayment, move: Move): Promise<Answer> {
  const answer = await send(real, kind, payment, { ...move, currency: "EUR" });
  if (answer.status === "U")
    assert.deepEqual([answer.code, move.state], [kind.unknown, "under way"], described(payment));
  else endMove(payment, move, answer.code === "SUCCESS" ? "SUCCESS" : "FAIL");
  if (answer.status === "F") assert.equal(answer.code, kind.failed);
  else assert.equal(answer.json[`${kind.verb}Id`], move.id);
  return answer;
}

async function untilEnded(real: Real, kind: Kind, payment: ModelPayment, move: Move): Promise<void> {
  if (move.state === "under way") await untilFinal(real, () => askAgain(real, kind, payment, move));
}

/** `endMoves` waits at the end of a run until all captures and refunds in progress are final. */
export async function endMoves(real: Real, payment: ModelPayment): Promise<void> {
  for (const move of payment.captures) await untilEnded(real, capturing, payment, move);
  for (const move of payment.refunds) await untilEnded(real, refunding, payment, move);
}

export const repeatsCapture = repeats(capturing);
export const repeatsRefund = repeats(refunding);

function repeats(kind: Kind) {
  const hasMoves = (payment: ModelPayment): boolean => kind.movesOf(payment).length > 0;
  const someChange = fc.constantFrom("nothing", "nothing", "the amount", "the payment");
  return fc.tuple(someTarget, fc.nat(), someChange).map(([which, nth, changed]) =>
    command(`repeat ${kind.verb} ${nth} of ${which.name} with ${changed} changed`, undefined, {
      check: (model) =>
        model.payments.length > 0 && kind.movesOf(paymentAt(model, which, hasMoves)).length > 0,
      async run(model, real) {
        const payment = paymentAt(model, which, hasMoves);
        const known = kind.movesOf(payment);
        const move = known[nth % known.length] ?? assert.fail();
        if (changed === "nothing") return void (await askAgain(real, kind, payment, move));
        await askChanged(model, real, kind, { payment, move, isOther: changed === "the payment" });
      },
    }),
  );
}

async function askChanged(
  model: Model,
  real: Real,
  kind: Kind,
  { payment, move, isOther }: { payment: ModelPayment; move: Move; isOther: boolean },
): Promise<void> {
  const other = model.payments.find((each) => each !== payment);
  const sentTo = isOther && other ? other : payment;
  const amountMinor = sentTo === payment ? move.amountMinor + 1n : move.amountMinor;
  const { code } = await send(real, kind, sentTo, { ...move, amountMinor, currency: "EUR" });
  assert.equal(code, "REPEAT_REQ_INCONSISTENT");
}

function send({ world, merchant }: Real, kind: Kind, payment: ModelPayment, asked: Asked): Promise<Answer> {
  const { requestId, amountMinor, currency, isLast } = asked;
  const amount = { currency, value: String(amountMinor) };
  return world.call(merchant, kind.verb, kind.body(requestId, payment, amount, isLast));
}

async function setFault({ world }: Real, payment: ModelPayment, kind: string): Promise<void> {
  payment.isFaulty = true;
  const { paymentId } = payment;
  await world.provider.fault({ kind, match: { paymentId }, delayMs: 200 });
}
