import assert from "node:assert/strict";
import fc from "fast-check";
import { payRequest } from "../start/test-stack.ts";
import { command, paymentAt, seldom, someAmount, someTarget } from "./command.ts";
import { fittingViews, inquire, sawSequence, type Model, type Real } from "./run-context.ts";
import {
  issuedOrNot,
  narrow,
  newPayment,
  repeatedPayCode,
  type ModelPayment,
  type PayContent,
  type View,
} from "./merchant-model.ts";
import { sendPay } from "./send-pay.ts";

const callFaults = ["answer-lost", "error-500", "garbage", "refuse-connection", "late-answer"] as const;

export const someCallFault = seldom(fc.constantFrom(...callFaults));

const someContent = fc.record({
  product: fc.constant("page" as const),
  paymentMethodId: fc.constant(""),
  amountMinor: someAmount,
  currency: fc.constant("EUR"),
  isManual: fc.boolean(),
  paymentMethodType: fc.constantFrom("GCASH", "DANA"),
  referenceOrderId: fc.constantFrom("order-1", "order-2"),
});

/** Commands that request a new payment. In a few cases the provider does not accept the order at once. */
export const pays = fc.tuple(someContent, someCallFault).map(([content, fault]) =>
  command(`pay ${content.isManual ? "manual" : "automatic"} ${content.amountMinor}`, fault, {
    async run(model, real) {
      const requestId = real.newRequestId();
      if (fault) await real.world.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
      const answer = await sendPay(real, requestId, content);
      assert.equal(answer.code, "PAYMENT_IN_PROCESS");
      const paymentId = String(answer.json["paymentId"]);
      assert.ok(!model.payments.some((other) => other.paymentId === paymentId));
      model.payments.push(newPayment({ requestId, paymentId, content }, fault !== undefined));
    },
  }),
);

/** The payment content for a request id that only a cancel has named. */
const anyContent: PayContent = {
  product: "page",
  paymentMethodId: "",
  amountMinor: 5n,
  currency: "EUR",
  isManual: false,
  paymentMethodType: "GCASH",
  referenceOrderId: "order-1",
};

const changeable = ["amountMinor", "currency", "isManual", "paymentMethodType", "referenceOrderId"] as const;

type Change = (typeof changeable)[number] | "nothing";

/** Commands that send a request id again, with the same content or with one changed field. */
export const repeatsPay = fc
  .tuple(someTarget, fc.constantFrom<Change[]>("nothing", "nothing", ...changeable))
  .map(([which, changed]) =>
    command(`repeat pay ${which.name} with ${changed} changed`, undefined, {
      check: (model) => model.payments.length > 0,
      async run(model, real) {
        const payment = paymentAt(model, which);
        const content = withChange(payment.content ?? anyContent, changed);
        const answer = await sendPay(real, payment.requestId, content);
        const codeIn = (view: View): string => repeatedPayCode(view, payment, content);
        const views = fittingViews(payment, answer, codeIn, issuedOrNot);
        if (answer.code === "REPEAT_REQ_INCONSISTENT") return;
        const { paymentId = answer.json["paymentSessionId"] ?? payment.paymentId } = answer.json;
        assert.equal(paymentId, payment.paymentId);
        if (answer.json["sequence"] !== undefined) sawSequence(payment, answer.json["sequence"]);
        narrow(
          payment,
          views.map(({ status }) => status),
        );
      },
    }),
  );

export const inquires = fc
  .tuple(someTarget, fc.constantFrom("paymentId" as const, "paymentRequestId" as const))
  .map(([which, by]) =>
    command(`inquire ${which.name} by ${by}`, undefined, {
      check: (model) => model.payments.length > 0,
      run: async (model, real) => void (await inquire(real, paymentAt(model, which), by)),
    }),
  );

export const inquiresRefund = fc.tuple(someTarget, fc.nat(), fc.boolean()).map(([which, nth, byId]) =>
  command(`inquire refund ${nth} of ${which.name}`, undefined, {
    check: (model) => model.payments.length > 0 && paymentAt(model, which, hasRefunds).refunds.length > 0,
    async run(model, { world, merchant }) {
      const { refunds } = paymentAt(model, which, hasRefunds);
      const refund = refunds[nth % refunds.length] ?? assert.fail();
      const named = byId ? { refundId: refund.id } : { refundRequestId: refund.requestId };
      const { code, json } = await world.call(merchant, "inquiryRefund", named);
      assert.equal(code, "SUCCESS");
      assert.equal(json["refundId"], refund.id);
      assert.deepEqual(json["refundAmount"], { currency: "EUR", value: String(refund.amountMinor) });
      if (json["refundStatus"] === "SUCCESS") refund.state = "SUCCESS";
      else assert.deepEqual([json["refundStatus"], refund.state], ["PROCESSING", "under way"]);
    },
  }),
);

function hasRefunds({ refunds }: ModelPayment): boolean {
  return refunds.length > 0;
}

const strangeVerbs = ["inquiryPayment", "cancel", "refund", "capture", "inquiryRefund", "pay"] as const;

/** Commands in which another merchant uses the first merchant's ids. For the other merchant, these ids do not exist. */
export const strangerTries = fc.tuple(someTarget, fc.constantFrom(...strangeVerbs)).map(([which, verb]) =>
  command(`outsider tries to ${verb} ${which.name}`, undefined, {
    check: (model) => model.payments.length > 0,
    run: (model, real) => tryAsStranger(model, real, paymentAt(model, which), verb),
  }),
);

async function tryAsStranger(
  model: Model,
  { world, newRequestId }: Real,
  payment: ModelPayment,
  verb: (typeof strangeVerbs)[number],
): Promise<void> {
  const { paymentId, requestId, refunds } = payment;
  const amount = { currency: "EUR", value: "1" };
  const bodies: Readonly<Record<typeof verb, object>> = {
    inquiryPayment: { paymentId },
    cancel: { paymentId },
    refund: { refundRequestId: newRequestId(), paymentId, refundAmount: amount },
    capture: { captureRequestId: newRequestId(), paymentId, captureAmount: amount },
    inquiryRefund: { refundId: refunds[0]?.id ?? "none" },
    pay: payRequest(requestId),
  };
  const { code, json } = await world.call(world.outsider, verb, bodies[verb]);
  if (verb !== "pay") return assert.equal(code, verb === "capture" ? "AUTH_NOT_FOUND" : "ORDER_NOT_EXIST");
  // The same content from another merchant is another payment.
  assert.equal(code, "PAYMENT_IN_PROCESS");
  const own = model.others.get(requestId) ?? json["paymentId"];
  assert.equal(json["paymentId"], own);
  assert.notEqual(own, paymentId);
  model.others.set(requestId, String(own));
}

function withChange(content: PayContent, changed: Change): PayContent {
  switch (changed) {
    case "nothing":
      return content;
    case "amountMinor":
      return { ...content, amountMinor: content.amountMinor + 1n };
    case "currency":
      return { ...content, currency: "USD" };
    case "isManual":
      return { ...content, isManual: !content.isManual };
    case "paymentMethodType":
      // A session's request has no method to change, because the buyer chooses it.
      return content.product === "session" ? content : { ...content, paymentMethodType: "CHANGED" };
    case "referenceOrderId":
      return { ...content, referenceOrderId: "CHANGED" };
  }
}
