import assert from "node:assert/strict";
import { test } from "node:test";
import { examplePayment } from "../../../test/examples/example-payment.ts";
import type { NextAction } from "../../providers/next-action.ts";
import { checkoutFields, issuedCodeFields } from "./buyer-fields.ts";
import { orderOf, type Payment } from "../payment.ts";

const url = "https://wallet.example/pay/8KQ2";
const checkoutUrl = "https://pay.example/checkout/1";
const expiresAt = new Date("2026-11-15T10:01:00Z");

function paymentWith(nextAction: NextAction | undefined, more: Partial<Payment> = {}): Payment {
  const payment = examplePayment(more);
  return { ...payment, order: { ...orderOf(payment), nextAction } };
}

/** The response for an agreement, and the fields in addition to the checkout page for a payment online. */
const actions: readonly (readonly [NextAction | undefined, agreed: object, direct: object])[] = [
  [undefined, {}, {}],
  [{ type: "WAIT" }, {}, {}],
  [{ type: "REDIRECT", url }, { normalUrl: url }, {}],
  [{ type: "QR_CODE", code: "8KQ2", url }, { normalUrl: url }, {}],
  [{ type: "QR_CODE", code: "8KQ2" }, { normalUrl: checkoutUrl }, {}],
  [{ type: "APP", appUrl: "wallet://8KQ2" }, { schemeUrl: "wallet://8KQ2" }, { schemeUrl: "wallet://8KQ2" }],
  [{ type: "APP", appUrl: url, url }, { normalUrl: url, applinkUrl: url }, { applinkUrl: url }],
  [{ type: "IN_PAGE", frameUrl: url }, { normalUrl: checkoutUrl }, {}],
  [
    { type: "IN_PAGE", frameUrl: url, clientData: "secret" },
    { normalUrl: checkoutUrl, paymentData: "secret" },
    { paymentData: "secret" },
  ],
];
for (const [action, agreed, direct] of actions) {
  const name = JSON.stringify(action) ?? "no action";

  test(`the buyer of an agreement confirms by ${name}`, () => {
    const payment = paymentWith(action, { productCode: "AGREEMENT_PAYMENT" });
    assert.deepEqual(checkoutFields(payment, checkoutUrl), agreed);
  });

  test(`a payment online has its checkout page, and what a merchant's app or page needs for ${name}`, () => {
    const redirectActionForm = {
      method: "GET",
      redirectUrl: checkoutUrl,
      actionFormType: "RedirectActionForm",
    };
    assert.deepEqual(checkoutFields(paymentWith(action), checkoutUrl), {
      normalUrl: checkoutUrl,
      redirectActionForm,
      ...direct,
    });
  });
}

test("a payment that is settled has no page and no data for the buyer", () => {
  const secret: NextAction = { type: "IN_PAGE", frameUrl: url, clientData: "secret" };
  assert.deepEqual(checkoutFields(paymentWith(secret, { status: "SUCCESS" }), checkoutUrl), {});
});

test("the code of a store expires with the code of the provider, and otherwise with the payment", () => {
  const inStore = { productCode: "IN_STORE_PAYMENT", scenario: "OrderCode" } as const;
  const expireTimeOf = (action: NextAction): unknown =>
    (issuedCodeFields(paymentWith(action, inStore)) as { orderCodeForm?: { expireTime: string } })
      .orderCodeForm?.expireTime;
  assert.equal(expireTimeOf({ type: "QR_CODE", code: "8KQ2", expiresAt }), "2026-11-15T10:01:00+00:00");
  assert.equal(expireTimeOf({ type: "QR_CODE", code: "8KQ2" }), "2026-11-15T10:14:00+00:00");
  assert.equal(expireTimeOf({ type: "WAIT" }), undefined);
});
