import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { CheckoutState } from "../../src/checkout/checkout.ts";
import { writeOrderShown } from "../../src/payments/order-shown.ts";
import { checkoutUrlOf } from "../shop/test-checkout.ts";
import { givenPayment, type GivenPayment } from "../shop/test-payment.ts";
import { asMerchant, offering, openSession } from "../shop/test-session.ts";
import { asSuperuser } from "../start/test-database.ts";
import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, startTestStack, type TestStack } from "../start/test-stack.ts";
import { shownAt, stopClock, type Look } from "./page-checks.ts";
import { pngOf } from "./one-colour-png.ts";

export interface CheckoutLooks {
  readonly origin: string;
  readonly looks: readonly Look[];
}

const code = "https://wallet.example/scan/8KQ2VY7N?amount=1250";
const order = { acceptedAt: shownAt, code, url: "https://wallet.example/open/8KQ2VY7N" };
const goods = [
  {
    referenceGoodsId: "g-1",
    goodsName: "Ethiopia Yirgacheffe, 250 g",
    goodsQuantity: 2,
    goodsUnitAmount: euros("1190"),
  },
  { referenceGoodsId: "g-2", goodsName: "Paper filters", goodsUnitAmount: euros("450") },
];
const shipping = { shippingFee: euros("390") };
const wholeOrder = { referenceOrderId: "CL-10482", goods, shipping };

/** Payments in each state of the page. No worker changes them, because they have no jobs. */
const rows: Readonly<Record<Exclude<CheckoutState, "choosing">, GivenPayment>> = {
  preparing: { status: "PROCESSING", order: {} },
  waiting: { status: "PROCESSING", order },
  changing: {
    status: "PROCESSING",
    order,
    sessionExpiresAt: new Date(Date.now() + 3_600_000),
    changeRequestedAt: shownAt,
  },
  closing: { status: "PROCESSING", order, expiresAt: new Date(0) },
  pending: { status: "PENDING", order },
  paid: { status: "SUCCESS", order },
  failed: { status: "FAIL", resultCode: "USER_BALANCE_NOT_ENOUGH", order },
  expired: { status: "FAIL", resultCode: "ORDER_IS_CLOSED", order },
  cancelled: { status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", order },
};

/** Every state of the checkout page, at a running gateway with a running provider. */
export async function startCheckoutLooks(): Promise<CheckoutLooks> {
  const stack = await startTestStack();
  const { database, variables } = stack;
  const { url } = await stack.serve({ isPublic: true });
  const plain = await newMerchant(database, "Coffee Lab");
  const branded = await newMerchant(database, "Röstwerk am Hafen");
  await giveBrand(url, branded);
  const gateway = { url, database, environment: "sandbox", variables } as const;

  const given = async (more: GivenPayment, { clientId }: TestMerchant = plain): Promise<string> => {
    const { paymentId } = await givenPayment(database, clientId, {
      currency: "EUR",
      amountMinor: 1_250n,
      orderDescription: "Two coffees",
      paymentMethodType: "GCASH",
      redirectUrl: "https://shop.example/thanks",
      expiresAt: new Date(Date.now() + 14 * 60_000),
      ...more,
    });
    return checkoutUrlOf(gateway, clientId, paymentId);
  };
  const session = async (more: object): Promise<string> =>
    (await openSession(asMerchant(url, plain), more)).pageUrl;
  const privilege = (verb: string): Promise<unknown> =>
    asSuperuser(`${verb} tollgate_app`, [], database.superuserUrl);

  const few = offering("GCASH", "TRUEMONEY", "ALIPAY_CN");
  const states = Object.entries(rows).map(([name, row]) => ({ name, open: () => given(row) }));
  return {
    origin: `${url}/`,
    looks: [
      { name: "choosing", open: () => session(few) },
      { name: "choosing-many", open: () => session({ userRegion: "PH" }) },
      {
        name: "choosing-searched",
        languages: ["en"],
        open: () => session({ userRegion: "PH" }),
        act: (page) => page.locator("input[type=search]").pressSequentially("pay"),
      },
      ...states,
      { name: "waiting-unfolded", open: () => given(rows.waiting), act: unfold },
      {
        name: "waiting-last-minute",
        open: () => given({ ...rows.waiting, expiresAt: new Date(Date.now() + 45_000) }),
      },
      {
        name: "waiting-chosen",
        open: () => given({ ...rows.waiting, sessionExpiresAt: new Date(Date.now() + 3_600_000) }),
      },
      { name: "waiting-branded", open: () => given({ ...rows.waiting, ...ofGoods() }, branded) },
      { name: "waiting-large", open: () => given({ ...rows.waiting, ...largest }) },
      { name: "paid-given-back", open: () => boughtAndGivenBack(stack, url, branded) },
      {
        name: "languages",
        languages: ["en"],
        open: () => given(rows.waiting),
        act: (page) => page.locator(".languages summary").click(),
      },
      { name: "missing", open: () => Promise.resolve(`${url}/checkout/forged`) },
      {
        name: "fault",
        async open() {
          const address = await given(rows.waiting);
          await privilege("revoke select on payments from");
          return address;
        },
        close: () => privilege("grant select on payments to"),
      },
    ],
  };
}

const largest: GivenPayment = {
  currency: "IDR",
  amountMinor: 9_999_999_999_999_900n,
  orderDescription: `${"x".repeat(120)} ${"word ".repeat(27)}`,
};

function euros(value: string): { readonly currency: string; readonly value: string } {
  return { currency: "EUR", value };
}

function ofGoods(): GivenPayment {
  return {
    amountMinor: 3_220n,
    orderDescription: "Beans and filters",
    orderShown: writeOrderShown(wholeOrder),
  };
}

/** `unfold` opens the section by script, because a wide screen never folds it and shows no control to press. */
function unfold(page: Page): Promise<unknown> {
  return page.evaluate("document.getElementById('other-device').checked = true");
}

async function giveBrand(url: string, merchant: TestMerchant): Promise<void> {
  const brand = {
    colour: "#0b6b3e",
    supportUrl: "https://shop.example/help",
    logo: pngOf(11, 107, 62).toString("base64"),
  };
  assert.equal(await asMerchant(url, merchant).codeOf("tollgate/changeBrand", brand), "SUCCESS");
}

let bought = 0;

/** Creates a payment that was paid at the provider and refunded in two parts, one of them in progress. */
async function boughtAndGivenBack(stack: TestStack, url: string, merchant: TestMerchant): Promise<string> {
  bought += 1;
  const id = `looked-at-${bought}`;
  const { ask, untilStatus } = asMerchant(url, merchant);
  const told = { ...wholeOrder, orderDescription: "Beans and filters", orderAmount: euros("3220") };
  const { json } = await ask("payments/pay", payRequest(id, { order: told, paymentAmount: euros("3220") }));
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", json.result["resultMessage"]);
  const paymentId = String(json["paymentId"]);
  const giveBack = (part: string, value: string): Promise<unknown> =>
    ask("payments/refund", { paymentId, refundRequestId: `${id}-${part}`, refundAmount: euros(value) });
  const worker = await stack.work();
  await stack.provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  await giveBack("first", "450");
  await eventually(
    15_000,
    () => ask("payments/inquiryRefund", { refundRequestId: `${id}-first` }),
    (answer) => answer.json["refundStatus"] === "SUCCESS",
  );
  await worker.stop();
  await stack.provider.fault({ kind: "refund-pending", delayMs: 600_000, match: { paymentId } });
  await giveBack("second", "390");
  return String(json["normalUrl"]);
}

/**
 * `steadyCheckout` writes the same times and ids into every page, so that screenshots show only changes of the code. It
 * also stops automatic redirects.
 */
export async function steadyCheckout(page: Page): Promise<void> {
  await stopClock(page);
  const inFourteenMinutes = new Date(shownAt.getTime() + 14 * 60_000).toISOString();
  await page.route(/\/checkout\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text())
      .replaceAll(/datetime="[^"]*"/g, `datetime="${inFourteenMinutes}"`)
      .replaceAll(
        /data-seconds="(\d{2,})"/g,
        (_, seconds) => `data-seconds="${Number(seconds) > 60 ? 840 : 42}"`,
      )
      .replaceAll(/(?<=class="reference copied">)(?:<span>\d+<\/span>)+/g, sevenGroups)
      .replaceAll(/<meta http-equiv="refresh"[^>]*>/g, "");
    await route.fulfill({ response, body });
  });
}

const sevenGroups = `<span>20261</span><span>11710</span>${"<span>00000</span>".repeat(5)}`;
