import assert from "node:assert/strict";
import { eventually } from "../start/test-process.ts";
import { manualCapture, payWith, type CardEnvironment } from "./card-environment.ts";

/** How a card payment is processed: charged at once, or authorized and captured later. */
export interface CardPaymentKind {
  readonly name: "charged" | "held";
  readonly more: object;
}

export const cardPaymentKinds: readonly [CardPaymentKind, CardPaymentKind] = [
  { name: "charged", more: {} },
  { name: "held", more: manualCapture },
];

/** A failure during a card payment. After each, gateway, ledger and provider must agree. */
export interface CardFailure {
  readonly name: string;
  run(environment: CardEnvironment, kind: CardPaymentKind): Promise<void>;
}

export const declinedCard: CardFailure = {
  name: "declined: not paid, and the webhook has the reason",
  async run({ order, toCardPage, waitForFinalState, shopUrl }, { more }) {
    const { paymentId, pageUrl, value } = await order(more);
    const page = await toCardPage(pageUrl);
    await payWith(page, "not-enough-money");
    await page.getByText("There is not enough money on the card. Nothing was charged.").waitFor();
    const { status, resultCode, keptMinor } = await waitForFinalState({ paymentId, value });
    assert.deepEqual([status, resultCode, keptMinor], ["FAIL", "USER_BALANCE_NOT_ENOUGH", 0n]);
    await page.getByRole("link", { name: "Back to" }).click();
    await page.waitForURL(shopUrl);
    await page.close();
  },
};

export const answerLost: CardFailure = {
  name: "bank's response lost: recovered by polling, one charge",
  async run({ order, toCardPage, waitForFinalState, shopUrl }, { name, more }) {
    const { paymentId, pageUrl, value } = await order(more);
    const page = await toCardPage(pageUrl);
    await payWith(page, "answer-lost");
    await page.waitForURL(shopUrl);
    const { status, keptMinor } = await waitForFinalState({ paymentId, value });
    assert.deepEqual([status, keptMinor], ["SUCCESS", name === "held" ? 0n : value]);
    await page.close();
  },
};

export const connectionLost: CardFailure = {
  name: "buyer's connection lost after the bank's approval: one charge, however often it is submitted",
  async run({ order, toCardPage, waitForFinalState, shopUrl }, { name, more }) {
    const { paymentId, pageUrl, value } = await order(more);
    const page = await toCardPage(pageUrl);
    const cardPage = page.url();
    let cuts = 0;
    await page.route(cardPage, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      // The card page processes the request, and its response is lost.
      await route.fetch({ maxRedirects: 0 });
      await route.abort();
      cuts += 1;
    });
    await payWith(page, "approved");
    await eventually(
      30_000,
      async () => cuts,
      (count) => count === 1,
    );
    await page.unroute(cardPage);
    await page.goto(cardPage);
    await page.getByRole("heading", { name: name === "held" ? "Held" : "Paid" }).waitFor();
    const form = { number: "9999000000000004", expiry: "12/99", code: "123" };
    const again = await page.request.post(cardPage, { form, maxRedirects: 0 });
    assert.equal(again.headers()["location"], shopUrl);
    const { status, keptMinor } = await waitForFinalState({ paymentId, value });
    assert.deepEqual([status, keptMinor], ["SUCCESS", name === "held" ? 0n : value]);
    await page.close();
  },
};

export const cancelRaces: CardFailure = {
  name: "cancelled at the same time: gateway, ledger and provider agree",
  async run({ order, toCardPage, waitForFinalState, cancel }, { more }) {
    const { paymentId, pageUrl, value } = await order(more);
    const page = await toCardPage(pageUrl);
    await Promise.all([payWith(page, "approved"), cancel(paymentId)]);
    await page.getByRole("heading", { name: /^(?:Thanks|Closed)$/ }).waitFor();
    await waitForFinalState({ paymentId, value });
    await page.close();
  },
};

/** Lifetime of the order in ms: long enough for the buyer to reach the card page on a busy machine. */
const lateAfterMs = 25_000;

/** A buyer who has the card page open, and submits it after the order has expired. */
export async function openLatePayment(
  { order, toCardPage, waitForFinalState }: CardEnvironment,
  kind: CardPaymentKind,
): Promise<{ readonly kind: CardPaymentKind; readonly submitLate: () => Promise<void> }> {
  const expiresAtMs = Date.now() + lateAfterMs;
  const paymentExpiryTime = `${new Date(expiresAtMs).toISOString().slice(0, 19)}+00:00`;
  const { paymentId, pageUrl, value } = await order({ ...kind.more, paymentExpiryTime });
  const page = await toCardPage(pageUrl);
  const isSent = async (): Promise<void> => {
    await page.waitForTimeout(Math.max(0, expiresAtMs + 100 - Date.now()));
    await payWith(page, "approved");
    await page.getByRole("heading", { name: /^(?:Too late|Closed)$/ }).waitFor();
    assert.partialDeepStrictEqual(await waitForFinalState({ paymentId, value }), {
      status: "FAIL",
      keptMinor: 0n,
    });
    await page.close();
  };
  return { kind, submitLate: isSent };
}
