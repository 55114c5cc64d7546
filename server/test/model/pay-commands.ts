import assert from "node:assert/strict";
import fc from "fast-check";
import { payRequest } from "../start/test-stack.ts";
import { newCommand, selectPayment, rarely, arbitraryAmount, arbitraryTarget } from "./model-command.ts";
import { endMove, matchingViewsOf, inquire, recordSequence, type Model, type Real } from "./run-context.ts";
import {
  inStoreAcceptedCodes,
  discardImpossibleStatuses,
  newPayment,
  repeatedPayCode,
  type ModelPayment,
  type PayContent,
  type GatewayView,
} from "./merchant-model.ts";
import { sendPay } from "./send-pay.ts";

const callFaults = ["answer-lost", "error-500", "garbage", "refuse-connection", "late-answer"] as const;

export const someCallFault = rarely(fc.constantFrom(...callFaults));

const someContent = fc.record({
  product: fc.constant("page" as const),
  paymentMethodId: fc.constant(""),
  amountMinor: arbitraryAmount,
  currency: fc.constant("EUR"),
  isManual: fc.boolean(),
  paymentMethodType: fc.constantFrom("GCASH", "DANA"),
  referenceOrderId: fc.constantFrom("order-1", "order-2"),
});

/** Commands that request a new payment. In a few cases the provider does not accept the order at once. */
export const payCommands = fc.tuple(someContent, someCallFault).map(([content, fault]) =>
  newCommand(`pay ${content.isManual ? "manual" : "automatic"} ${content.amountMinor}`, fault, {
    async run(model, real) {
      const requestId = real.newRequestId();
      if (fault) await real.system.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
      const answer = await sendPay(real, requestId, content);
      assert.equal(answer.code, "PAYMENT_IN_PROCESS");
      const paymentId = String(answer.json["paymentId"]);
      assert.ok(!model.payments.some((other) => other.paymentId === paymentId));
      model.payments.push(newPayment({ requestId, paymentId, content }, fault !== undefined));
    },
  }),
);

/** The payment content for a request id that only a cancel has named. */
const contentAfterCancel: PayContent = {
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
export const repeatPayCommands = fc
  .tuple(arbitraryTarget, fc.constantFrom<Change[]>("nothing", "nothing", ...changeable))
  .map(([target, changed]) =>
    newCommand(`repeat pay ${target.name} with ${changed} changed`, undefined, {
      check: (model) => model.payments.length > 0,
      async run(model, real) {
        const payment = selectPayment(model, target);
        const content = changeField(payment.content ?? contentAfterCancel, changed);
        const answer = await sendPay(real, payment.requestId, content);
        const codeIn = (view: GatewayView): string => repeatedPayCode(view, payment, content);
        const views = matchingViewsOf(payment, answer, codeIn, inStoreAcceptedCodes);
        if (answer.code === "REPEAT_REQ_INCONSISTENT") return;
        const { paymentId = answer.json["paymentSessionId"] ?? payment.paymentId } = answer.json;
        assert.equal(paymentId, payment.paymentId);
        if (answer.json["sequence"] !== undefined) recordSequence(payment, answer.json["sequence"]);
        discardImpossibleStatuses(
          payment,
          views.map(({ status }) => status),
        );
      },
    }),
  );

export const inquiryCommands = fc
  .tuple(arbitraryTarget, fc.constantFrom("paymentId" as const, "paymentRequestId" as const))
  .map(([target, by]) =>
    newCommand(`inquire ${target.name} by ${by}`, undefined, {
      check: (model) => model.payments.length > 0,
      run: async (model, real) => void (await inquire(real, selectPayment(model, target), by)),
    }),
  );

export const refundInquiryCommands = fc
  .tuple(arbitraryTarget, fc.nat(), fc.boolean())
  .map(([target, nth, byId]) =>
    newCommand(`inquire refund ${nth} of ${target.name}`, undefined, {
      check: (model) =>
        model.payments.length > 0 && selectPayment(model, target, hasRefunds).refunds.length > 0,
      async run(model, { system, merchant }) {
        const payment = selectPayment(model, target, hasRefunds);
        const { refunds } = payment;
        const refund = refunds[nth % refunds.length] ?? assert.fail();
        const named = byId ? { refundId: refund.id } : { refundRequestId: refund.requestId };
        const { code, json } = await system.call(merchant, "inquiryRefund", named);
        assert.equal(code, "SUCCESS");
        assert.equal(json["refundId"], refund.id);
        assert.deepEqual(json["refundAmount"], { currency: "EUR", value: String(refund.amountMinor) });
        const status = json["refundStatus"];
        if (status === "SUCCESS" || status === "FAIL") endMove(payment, refund, status);
        else assert.deepEqual([status, refund.state], ["PROCESSING", "under way"]);
      },
    }),
  );

function hasRefunds({ refunds }: ModelPayment): boolean {
  return refunds.length > 0;
}

const outsiderVerbs = ["inquiryPayment", "cancel", "refund", "capture", "inquiryRefund", "pay"] as const;

/** Commands in which another merchant uses the first merchant's ids. For the other merchant, these ids do not exist. */
export const outsiderCommands = fc
  .tuple(arbitraryTarget, fc.constantFrom(...outsiderVerbs))
  .map(([target, verb]) =>
    newCommand(`outsider tries to ${verb} ${target.name}`, undefined, {
      check: (model) => model.payments.length > 0,
      run: (model, real) => requestAsOutsider(model, real, selectPayment(model, target), verb),
    }),
  );

async function requestAsOutsider(
  model: Model,
  { system, newRequestId }: Real,
  payment: ModelPayment,
  verb: (typeof outsiderVerbs)[number],
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
  const { code, json } = await system.call(system.outsider, verb, bodies[verb]);
  if (verb !== "pay") return assert.equal(code, verb === "capture" ? "AUTH_NOT_FOUND" : "ORDER_NOT_EXIST");
  // The same content from another merchant is another payment.
  assert.equal(code, "PAYMENT_IN_PROCESS");
  const outsiderPaymentId = model.outsiderPayments.get(requestId) ?? json["paymentId"];
  assert.equal(json["paymentId"], outsiderPaymentId);
  assert.notEqual(outsiderPaymentId, paymentId);
  model.outsiderPayments.set(requestId, String(outsiderPaymentId));
}

function changeField(content: PayContent, changed: Change): PayContent {
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
