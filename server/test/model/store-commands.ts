import assert from "node:assert/strict";
import fc from "fast-check";
import { command, someAmount } from "./command.ts";
import type { Model, Real } from "./run-context.ts";
import { issuedOrNot, newPayment, type PayContent, type Scenario } from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { sendPay } from "./send-pay.ts";
import { untilSubmitted } from "./submitted.ts";
import { afterDeed } from "./expected-effects.ts";

/**
 * Codes that the buyer can show in the store, each with the provider's result, which is pending if the buyer must
 * confirm first.
 */
const shown = {
  good: "SUCCESS",
  "of a buyer who must confirm first": undefined,
  "of a buyer with an insufficient balance": "USER_BALANCE_NOT_ENOUGH",
  expired: "EXPIRED_CODE",
  unknown: "INVALID_CODE",
  used: "INVALID_CODE",
  malformed: "INVALID_CODE",
} as const;

type Shown = keyof typeof shown;

const someShown = fc.constantFrom<Shown[]>("good", "good", "good", ...(Object.keys(shown) as Shown[]));

/** The point of sale scans the code on the buyer's screen. */
export const tills = fc.tuple(someShown, someAmount, someCallFault).map(([what, amountMinor, fault]) =>
  command(`till takes a code that is ${what}`, fault, {
    async run(model, real) {
      const paymentMethodId = await codeOf(model, real, what);
      const content = contentOf("PaymentCode", { paymentMethodId, amountMinor });
      if (fault) await real.world.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
      await take(model, real, { content, verdict: shown[what], isFaulty: fault !== undefined });
    },
  }),
);

/** The point of sale shows a code or a page to the buyer, whose action decides, as online. */
export const issues = fc
  .tuple(fc.constantFrom("OrderCode" as const, "EntryCode" as const), someAmount, someCallFault)
  .map(([scenario, amountMinor, fault]) =>
    command(`issue an ${scenario}`, fault, {
      async run(model, real) {
        const content = contentOf(scenario, { paymentMethodId: "", amountMinor });
        if (fault) await real.world.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
        const requestId = real.newRequestId();
        const { code, json } = await sendPay(real, requestId, content);
        assert.ok(issuedOrNot.includes(code), code);
        const form = json[scenario === "OrderCode" ? "orderCodeForm" : "redirectActionForm"];
        assert.equal(form !== undefined, code === "SUCCESS");
        const paymentId = String(json["paymentId"]);
        model.payments.push(newPayment({ requestId, paymentId, content }, fault !== undefined));
      },
    }),
  );

function contentOf(
  product: Scenario,
  given: Pick<PayContent, "paymentMethodId" | "amountMinor">,
): PayContent {
  return {
    ...given,
    product,
    currency: "EUR",
    isManual: false,
    paymentMethodType: "CONNECT_WALLET",
    referenceOrderId: "order-1",
  };
}

async function codeOf({ payments }: Model, { world }: Real, what: Shown): Promise<string> {
  const { provider } = world;
  switch (what) {
    case "good":
      return provider.paymentCode();
    case "of a buyer who must confirm first":
      return provider.paymentCode({ asks: true });
    case "of a buyer with an insufficient balance":
      return provider.paymentCode({ declines: "USER_BALANCE_NOT_ENOUGH" });
    case "expired":
      return provider.paymentCode({ lifetimeSeconds: 0 });
    case "unknown":
      return "281006020000000000125733";
    case "used":
      return (
        payments.find(({ order, content }) => content?.product === "PaymentCode" && order === "PAID")?.content
          ?.paymentMethodId ?? "281006020000000000125733"
      );
    case "malformed":
      return "12345";
  }
}

interface Taking {
  readonly content: PayContent;
  readonly verdict: string | undefined;
  readonly isFaulty: boolean;
}

async function take(model: Model, real: Real, { content, verdict, isFaulty }: Taking): Promise<void> {
  const requestId = real.newRequestId();
  const { code, json } = await sendPay(real, requestId, content);
  if (content.paymentMethodId.length < 16) {
    assert.equal(code, verdict);
    // A code that no provider can read leaves no record.
    const inquired = await real.world.call(real.merchant, "inquiryPayment", { paymentRequestId: requestId });
    return assert.equal(inquired.code, "ORDER_NOT_EXIST");
  }
  assert.ok(["PAYMENT_IN_PROCESS", verdict].includes(code), `${code}, not ${verdict}`);
  const paymentId = String(json["paymentId"]);
  const payment = newPayment({ requestId, paymentId, content }, isFaulty);
  model.payments.push(payment);
  await untilSubmitted(real, payment);
  if (verdict === undefined) return;
  afterDeed(payment, verdict === "SUCCESS" ? "approve" : "decline");
  if (verdict !== "SUCCESS") payment.failure = verdict;
}
