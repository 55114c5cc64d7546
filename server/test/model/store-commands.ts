import assert from "node:assert/strict";
import fc from "fast-check";
import { newCommand, arbitraryAmount } from "./model-command.ts";
import type { Model, Real } from "./run-context.ts";
import { inStoreAcceptedCodes, newPayment, type PayContent, type Scenario } from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { sendPay } from "./send-pay.ts";
import { waitUntilSubmitted } from "./wait-until-submitted.ts";
import { afterProviderAction } from "./expected-effects.ts";

/**
 * Codes that the buyer can show in the store, each with the provider's result, which is pending if the buyer must
 * confirm first.
 */
const resultByCode = {
  good: "SUCCESS",
  "of a buyer who must confirm first": undefined,
  "of a buyer with an insufficient balance": "USER_BALANCE_NOT_ENOUGH",
  expired: "EXPIRED_CODE",
  unknown: "INVALID_CODE",
  used: "INVALID_CODE",
  malformed: "INVALID_CODE",
} as const;

type ShownCode = keyof typeof resultByCode;

const arbitraryCode = fc.constantFrom<ShownCode[]>(
  "good",
  "good",
  "good",
  ...(Object.keys(resultByCode) as ShownCode[]),
);

/** The point of sale scans the code on the buyer's screen. */
export const paymentCodeCommands = fc
  .tuple(arbitraryCode, arbitraryAmount, someCallFault)
  .map(([codeKind, amountMinor, fault]) =>
    newCommand(`till takes a code that is ${codeKind}`, fault, {
      async run(model, real) {
        const paymentMethodId = await createCode(model, real, codeKind);
        const content = contentOf("PaymentCode", { paymentMethodId, amountMinor });
        if (fault) await real.system.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
        await payWithCode(model, real, {
          content,
          verdict: resultByCode[codeKind],
          isFaulty: fault !== undefined,
        });
      },
    }),
  );

/** The point of sale shows a code or a page to the buyer, whose action decides, as online. */
export const orderCodeCommands = fc
  .tuple(fc.constantFrom("OrderCode" as const, "EntryCode" as const), arbitraryAmount, someCallFault)
  .map(([scenario, amountMinor, fault]) =>
    newCommand(`issue an ${scenario}`, fault, {
      async run(model, real) {
        const content = contentOf(scenario, { paymentMethodId: "", amountMinor });
        if (fault) await real.system.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
        const requestId = real.newRequestId();
        const { code, json } = await sendPay(real, requestId, content);
        assert.ok(inStoreAcceptedCodes.includes(code), code);
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

async function createCode({ payments }: Model, { system }: Real, codeKind: ShownCode): Promise<string> {
  const { provider } = system;
  switch (codeKind) {
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

interface CodePayment {
  readonly content: PayContent;
  readonly verdict: string | undefined;
  readonly isFaulty: boolean;
}

async function payWithCode(
  model: Model,
  real: Real,
  { content, verdict, isFaulty }: CodePayment,
): Promise<void> {
  const requestId = real.newRequestId();
  const { code, json } = await sendPay(real, requestId, content);
  if (content.paymentMethodId.length < 16) {
    assert.equal(code, verdict);
    // A code that no provider can read leaves no record.
    const inquired = await real.system.call(real.merchant, "inquiryPayment", { paymentRequestId: requestId });
    return assert.equal(inquired.code, "ORDER_NOT_EXIST");
  }
  assert.ok(["PAYMENT_IN_PROCESS", verdict].includes(code), `${code}, not ${verdict}`);
  const paymentId = String(json["paymentId"]);
  const payment = newPayment({ requestId, paymentId, content }, isFaulty);
  model.payments.push(payment);
  await waitUntilSubmitted(real, payment);
  if (verdict === undefined) return;
  afterProviderAction(payment, verdict === "SUCCESS" ? "approve" : "decline");
  if (verdict !== "SUCCESS") payment.failure = verdict;
}
