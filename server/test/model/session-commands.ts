import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseMethod, sessionRequest } from "../shop/test-session.ts";
import { payRequest } from "../start/test-stack.ts";
import { newCommand, selectPayment, rarely, arbitraryAmount, arbitraryTarget } from "./model-command.ts";
import { describePayment, inquire, repeatUntilFinal, type Real } from "./run-context.ts";
import { newPayment, type ModelPayment, type PayContent } from "./merchant-model.ts";
import { offeredMethods, sendPay } from "./send-pay.ts";

/** Commands that create a session, which is a payment whose buyer has not chosen a method yet. */
export const openSessionCommands = fc.tuple(arbitraryAmount, fc.boolean()).map(([amountMinor, isManual]) =>
  newCommand(`session of ${amountMinor}${isManual ? ", captured later" : ""}`, undefined, {
    async run(model, real) {
      const requestId = real.newRequestId();
      const content: PayContent = { ...sessionContent, amountMinor, isManual };
      const { code, json } = await sendPay(real, requestId, content);
      assert.equal(code, "SUCCESS");
      const { paymentSessionId: paymentId, normalUrl: pageUrl } = json as Record<string, string>;
      assert.ok(paymentId !== undefined && pageUrl !== undefined);
      const payment = newPayment({ requestId, paymentId, content, pageUrl }, false);
      payment.order = "UNCHOSEN";
      model.payments.push(payment);
    },
  }),
);

const sessionContent = {
  product: "session",
  paymentMethodId: "",
  paymentMethodType: "",
  currency: "EUR",
  referenceOrderId: "order-1",
} as const;

/** The buyer chooses on the page of either gateway. A choice that is too late, or not offered, has no effect. */
export const chooseMethodCommands = fc
  .tuple(
    arbitraryTarget,
    fc.constantFrom<string[]>(...offeredMethods, ...offeredMethods, "BOOST"),
    fc.nat(),
    rarely(fc.constantFrom("answer-lost", "error-500", "refuse-connection")),
  )
  .map(([target, method, gatewayIndex, fault]) =>
    newCommand(`choose ${method} for ${target.name}`, fault, {
      check: (model) => model.payments.length > 0 && isSession(selectPayment(model, target, isUnchosen)),
      async run(model, real) {
        const payment = selectPayment(model, target, isUnchosen);
        if (fault) await real.system.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
        await choose(real, payment, { method, gatewayIndex });
      },
    }),
  );

async function choose(
  real: Real,
  payment: ModelPayment,
  { method, gatewayIndex }: { readonly method: string; readonly gatewayIndex: number },
): Promise<void> {
  const { urls } = real.system;
  const isChoiceValid = payment.order === "UNCHOSEN" && offeredMethods.some((each) => each === method);
  const page = new URL(payment.pageUrl ?? assert.fail());
  const url = new URL(page.pathname, urls[gatewayIndex % urls.length]).href;
  // If the provider does not respond, the page offers no method (503), and the buyer tries again.
  await repeatUntilFinal(real, async () => {
    const { status } = await chooseMethod(url, method);
    assert.ok([303, 503].includes(status), `${status} ${describePayment(payment)}`);
    if (status === 503) return { code: "", status: "U", json: {} };
    const inquiry = { paymentId: payment.paymentId };
    const answer = await real.system.call(real.merchant, "inquiryPayment", inquiry);
    const isChosen = answer.json["paymentMethodType"] !== undefined;
    return { ...answer, status: isChoiceValid && !isChosen ? "U" : "S" };
  });
  if (isChoiceValid) {
    payment.chosenMethod = method;
    payment.order = "OPEN";
  }
  const { json } = await inquire(real, payment, "paymentId");
  assert.equal(json["paymentMethodType"], payment.chosenMethod);
}

/**
 * Commands that use a session's request id in `pay`, or a payment's in `createPaymentSession`. The gateway must reject
 * both.
 */
export const wrongOperationCommands = arbitraryTarget.map((target) =>
  newCommand(`confuse ${target.name} with the other kind`, undefined, {
    check: (model) => model.payments.length > 0,
    async run(model, { system, merchant }) {
      const { content, requestId } = selectPayment(model, target);
      const { code } = isSession({ content })
        ? await system.call(merchant, "pay", payRequest(requestId))
        : await system.call(merchant, "createPaymentSession", sessionRequest(requestId));
      assert.equal(code, content ? "REPEAT_REQ_INCONSISTENT" : "ORDER_IS_CANCELED");
    },
  }),
);

function isSession({ content }: Pick<ModelPayment, "content">): boolean {
  return content?.product === "session";
}

function isUnchosen({ order }: ModelPayment): boolean {
  return order === "UNCHOSEN";
}
