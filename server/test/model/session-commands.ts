import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseOn, sessionRequest } from "../shop/test-session.ts";
import { payRequest } from "../start/test-stack.ts";
import { command, paymentAt, seldom, someAmount, someTarget } from "./command.ts";
import { described, inquire, untilFinal, type Real } from "./run-context.ts";
import { newPayment, type ModelPayment, type PayContent } from "./merchant-model.ts";
import { offeredMethods, sendPay } from "./send-pay.ts";

/** Commands that create a session, which is a payment whose buyer has not chosen a method yet. */
export const opensSession = fc.tuple(someAmount, fc.boolean()).map(([amountMinor, isManual]) =>
  command(`session of ${amountMinor}${isManual ? ", captured later" : ""}`, undefined, {
    async run(model, real) {
      const requestId = real.newRequestId();
      const content: PayContent = { ...usual, amountMinor, isManual };
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

const usual = {
  product: "session",
  paymentMethodId: "",
  paymentMethodType: "",
  currency: "EUR",
  referenceOrderId: "order-1",
} as const;

/** The buyer chooses on the page of either gateway. A choice that is too late, or not offered, has no effect. */
export const chooses = fc
  .tuple(
    someTarget,
    fc.constantFrom<string[]>(...offeredMethods, ...offeredMethods, "BOOST"),
    fc.nat(),
    seldom(fc.constantFrom("answer-lost", "error-500", "refuse-connection")),
  )
  .map(([which, method, door, fault]) =>
    command(`choose ${method} for ${which.name}`, fault, {
      check: (model) => model.payments.length > 0 && isSession(paymentAt(model, which, isUnchosen)),
      async run(model, real) {
        const payment = paymentAt(model, which, isUnchosen);
        if (fault) await real.world.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
        await choose(real, payment, { method, door });
      },
    }),
  );

async function choose(
  real: Real,
  payment: ModelPayment,
  { method, door }: { readonly method: string; readonly door: number },
): Promise<void> {
  const { urls } = real.world;
  const isTaken = payment.order === "UNCHOSEN" && offeredMethods.some((each) => each === method);
  const page = new URL(payment.pageUrl ?? assert.fail());
  const url = new URL(page.pathname, urls[door % urls.length]).href;
  // If the provider does not respond, the page offers no method (503), and the buyer tries again.
  await untilFinal(real, async () => {
    const { status } = await chooseOn(url, method);
    assert.ok([303, 503].includes(status), `${status} ${described(payment)}`);
    if (status === 503) return { code: "", status: "U", json: {} };
    const asked = { paymentId: payment.paymentId };
    const answer = await real.world.call(real.merchant, "inquiryPayment", asked);
    const isChosen = answer.json["paymentMethodType"] !== undefined;
    return { ...answer, status: isTaken && !isChosen ? "U" : "S" };
  });
  if (isTaken) {
    payment.chosen = method;
    payment.order = "OPEN";
  }
  const { json } = await inquire(real, payment, "paymentId");
  assert.equal(json["paymentMethodType"], payment.chosen);
}

/**
 * Commands that use a session's request id in `pay`, or a payment's in `createPaymentSession`. The gateway must reject
 * both.
 */
export const confuses = someTarget.map((which) =>
  command(`confuse ${which.name} with the other kind`, undefined, {
    check: (model) => model.payments.length > 0,
    async run(model, { world, merchant }) {
      const { content, requestId } = paymentAt(model, which);
      const { code } = isSession({ content })
        ? await world.call(merchant, "pay", payRequest(requestId))
        : await world.call(merchant, "createPaymentSession", sessionRequest(requestId));
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
