import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { CheckoutState } from "../../src/checkout/checkout.ts";
import type { NextAction } from "../../src/providers/next-action.ts";
import { serializeCheckoutOrder } from "../../src/payments/checkout-order.ts";
import { checkoutUrlOf } from "../shop/test-checkout.ts";
import { insertTestPayment, type TestPaymentFields } from "../shop/test-payment.ts";
import { newMerchantClient, offerMethods, openSession } from "../shop/test-session.ts";
import { asSuperuser } from "../start/test-database.ts";
import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, startTestStack, type TestStack } from "../start/test-stack.ts";
import { fixedTime, stopClock, type PageState } from "./page-checks.ts";
import { createPng } from "./one-colour-png.ts";

export interface CheckoutPages {
  readonly origin: string;
  /** The origin of the provider's page, which one state shows in a frame. */
  readonly frameOrigin: string;
  readonly states: readonly PageState[];
}

const code = "https://wallet.example/scan/8KQ2VY7N?amount=1250";
const link = "https://wallet.example/open/8KQ2VY7N";
const order = orderWith({ type: "QR_CODE", code, url: link });
const goods = [
  {
    referenceGoodsId: "g-1",
    goodsName: "Ethiopia Yirgacheffe, 250 g",
    goodsQuantity: 2,
    goodsUnitAmount: euros("1190"),
  },
  { referenceGoodsId: "g-2", goodsName: "Paper filters", goodsUnitAmount: euros("450") },
];

function orderWith(nextAction: NextAction): Required<TestPaymentFields>["order"] {
  return { acceptedAt: fixedTime, nextAction };
}

/** Payments whose buyer has another next action than a code. */
const actions: Readonly<Record<string, NextAction>> = {
  "waiting-app": { type: "APP", appUrl: "wallet://pay/8KQ2VY7N", url: link },
  "waiting-app-only": { type: "APP", appUrl: "wallet://pay/8KQ2VY7N" },
  "waiting-redirect": { type: "REDIRECT", url: link },
  "waiting-code-expired": { type: "QR_CODE", code, url: link, expiresAt: new Date(0) },
  "waiting-confirmation": { type: "WAIT", expiresAt: new Date(Date.now() + 3_600_000) },
};

const shipping = { shippingFee: euros("390") };
const wholeOrder = { referenceOrderId: "CL-10482", goods, shipping };

/** Payments in each state of the page. No worker changes them, because they have no jobs. */
const rows: Readonly<Record<Exclude<CheckoutState, "choosing">, TestPaymentFields>> = {
  preparing: { status: "PROCESSING", order: {} },
  waiting: { status: "PROCESSING", order },
  changing: {
    status: "PROCESSING",
    order,
    sessionExpiresAt: new Date(Date.now() + 3_600_000),
    changeRequestedAt: fixedTime,
  },
  closing: { status: "PROCESSING", order, expiresAt: new Date(0) },
  pending: { status: "PENDING", order },
  paid: { status: "SUCCESS", order },
  failed: { status: "FAIL", resultCode: "USER_BALANCE_NOT_ENOUGH", order },
  expired: { status: "FAIL", resultCode: "ORDER_IS_CLOSED", order },
  cancelled: { status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", order },
};

/** Every state of the checkout page, at a running gateway with a running provider. */
export async function startCheckoutPages(): Promise<CheckoutPages> {
  const stack = await startTestStack();
  const { database, variables } = stack;
  const { url } = await stack.serve({ isPublic: true });
  const unbranded = await newMerchant(database, "Coffee Lab");
  const branded = await newMerchant(database, "Röstwerk am Hafen");
  await setBrand(url, branded);
  const gateway = { url, database, environment: "sandbox", variables } as const;

  const insertPayment = (fields: TestPaymentFields, merchant = unbranded): Promise<string> =>
    insertCheckoutPayment(gateway, merchant, fields);
  const session = async (more: object): Promise<string> =>
    (await openSession(newMerchantClient(url, unbranded), more)).pageUrl;
  const privilege = (verb: string): Promise<unknown> =>
    asSuperuser(`${verb} tollgate_app`, [], database.superuserUrl);

  const threeMethods = offerMethods("GCASH", "TRUEMONEY", "ALIPAY_CN");
  const states = Object.entries(rows).map(([name, row]) => ({ name, open: () => insertPayment(row) }));
  return {
    origin: `${url}/`,
    frameOrigin: `${stack.provider.url}/`,
    states: [
      { name: "choosing", open: () => session(threeMethods) },
      { name: "choosing-many", open: () => session({ userRegion: "PH" }) },
      {
        name: "choosing-searched",
        languages: ["en"],
        open: () => session({ userRegion: "PH" }),
        act: (page) => page.locator("input[type=search]").pressSequentially("pay"),
      },
      ...states,
      ...Object.entries(actions).map(([name, nextAction]) => ({
        name,
        open: () => insertPayment({ ...rows.waiting, order: orderWith(nextAction) }),
      })),
      { name: "waiting-frame", open: () => createFramedPayment(stack, url, unbranded) },
      { name: "waiting-unfolded", open: () => insertPayment(rows.waiting), act: unfoldOtherDevice },
      {
        name: "waiting-last-minute",
        open: () => insertPayment({ ...rows.waiting, expiresAt: new Date(Date.now() + 45_000) }),
      },
      {
        name: "waiting-chosen",
        open: () => insertPayment({ ...rows.waiting, sessionExpiresAt: new Date(Date.now() + 3_600_000) }),
      },
      {
        name: "waiting-branded",
        open: () => insertPayment({ ...rows.waiting, ...orderWithGoods() }, branded),
      },
      { name: "waiting-large", open: () => insertPayment({ ...rows.waiting, ...largestPayment }) },
      { name: "paid-given-back", open: () => createRefundedPayment(stack, url, branded) },
      {
        name: "languages",
        languages: ["en"],
        open: () => insertPayment(rows.waiting),
        act: (page) => page.locator(".languages summary").click(),
      },
      { name: "missing", open: () => Promise.resolve(`${url}/checkout/forged`) },
      {
        name: "fault",
        async open() {
          const address = await insertPayment(rows.waiting);
          await privilege("revoke select on payments from");
          return address;
        },
        close: () => privilege("grant select on payments to"),
      },
    ],
  };
}

/** Inserts a payment, and returns the address of its checkout page. */
async function insertCheckoutPayment(
  gateway: Parameters<typeof checkoutUrlOf>[0],
  { clientId }: TestMerchant,
  fields: TestPaymentFields,
): Promise<string> {
  const { paymentId } = await insertTestPayment(gateway.database, clientId, {
    currency: "EUR",
    amountMinor: 1_250n,
    orderDescription: "Two coffees",
    paymentMethodType: "GCASH",
    redirectUrl: "https://shop.example/thanks",
    expiresAt: new Date(Date.now() + 14 * 60_000),
    ...fields,
  });
  return checkoutUrlOf(gateway, clientId, paymentId);
}

const largestPayment: TestPaymentFields = {
  currency: "IDR",
  amountMinor: 9_999_999_999_999_900n,
  orderDescription: `${"x".repeat(120)} ${"word ".repeat(27)}`,
};

function euros(value: string): { readonly currency: string; readonly value: string } {
  return { currency: "EUR", value };
}

function orderWithGoods(): TestPaymentFields {
  return {
    amountMinor: 3_220n,
    orderDescription: "Beans and filters",
    orderShown: serializeCheckoutOrder(wholeOrder),
  };
}

/** `unfoldOtherDevice` opens the section by script, because a wide screen never folds it and shows no control to press. */
function unfoldOtherDevice(page: Page): Promise<unknown> {
  return page.evaluate("document.getElementById('other-device').checked = true");
}

async function setBrand(url: string, merchant: TestMerchant): Promise<void> {
  const brand = {
    colour: "#0b6b3e",
    supportUrl: "https://shop.example/help",
    logo: createPng(11, 107, 62).toString("base64"),
  };
  assert.equal(await newMerchantClient(url, merchant).codeOf("tollgate/changeBrand", brand), "SUCCESS");
}

let createdCount = 0;

/** Creates a payment whose buyer pays on the provider's page in a frame. */
async function createFramedPayment(stack: TestStack, url: string, merchant: TestMerchant): Promise<string> {
  createdCount += 1;
  await stack.provider.fault({ kind: "action-in-page", match: { verb: "submit" } });
  const { request } = newMerchantClient(url, merchant);
  const { json } = await request("payments/pay", payRequest(`framed-${createdCount}`));
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", json.result["resultMessage"]);
  const address = String(json["normalUrl"]);
  await eventually(
    15_000,
    async () => (await fetch(address)).text(),
    (page) => page.includes("<iframe"),
  );
  return address;
}

/** Creates a payment that was paid at the provider and refunded in two parts, one of them in progress. */
async function createRefundedPayment(stack: TestStack, url: string, merchant: TestMerchant): Promise<string> {
  createdCount += 1;
  const id = `looked-at-${createdCount}`;
  const { request, waitForStatus } = newMerchantClient(url, merchant);
  const paymentAmount = euros("3220");
  const requestedOrder = { ...wholeOrder, orderDescription: "Beans and filters", orderAmount: paymentAmount };
  const { json } = await request("payments/pay", payRequest(id, { order: requestedOrder, paymentAmount }));
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", json.result["resultMessage"]);
  const paymentId = String(json["paymentId"]);
  const refund = (part: string, value: string): Promise<unknown> =>
    request("payments/refund", { paymentId, refundRequestId: `${id}-${part}`, refundAmount: euros(value) });
  const worker = await stack.work();
  await stack.provider.control(paymentId, "approve");
  await waitForStatus(id, "SUCCESS");
  await refund("first", "450");
  await eventually(
    15_000,
    () => request("payments/inquiryRefund", { refundRequestId: `${id}-first` }),
    (answer) => answer.json["refundStatus"] === "SUCCESS",
  );
  await worker.stop();
  await stack.provider.fault({ kind: "refund-pending", delayMs: 600_000, match: { paymentId } });
  await refund("second", "390");
  return String(json["normalUrl"]);
}

/**
 * `stabilizeCheckout` writes the same times and ids into every page, so that screenshots show only changes of the code. It
 * also stops automatic redirects.
 */
export async function stabilizeCheckout(page: Page): Promise<void> {
  await stopClock(page);
  const inFourteenMinutes = new Date(fixedTime.getTime() + 14 * 60_000).toISOString();
  // The page in a frame shows the payment's id.
  await page.route(/\/pay\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll(/\b\d{35}\b/g, "2".repeat(35)),
    });
  });
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
