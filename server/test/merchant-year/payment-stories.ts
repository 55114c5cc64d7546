import assert from "node:assert/strict";
import { eventually } from "../start/test-process.ts";
import { payRequest } from "../start/test-stack.ts";
import type { Random } from "./hash-random.ts";
import type { MerchantSimulation, Story } from "./merchant-year.ts";

export interface PaidPayment {
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: number;
}

const currencies = ["EUR", "USD", "JPY"];

export function randomAmount(random: Random): Omit<PaidPayment, "paymentId"> {
  return { currency: random.pick(currencies), minor: random.between(500, 90_000) };
}

async function requestPayment(
  simulation: MerchantSimulation,
  name: string,
  random: Random,
  more: object = {},
): Promise<PaidPayment> {
  const money = randomAmount(random);
  const { json } = await simulation.request("payments/pay", newPayRequest(name, money, more));
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", name);
  return { paymentId: String(json["paymentId"]), ...money };
}

function newPayRequest(
  name: string,
  { currency, minor }: Omit<PaidPayment, "paymentId">,
  more: object = {},
): object {
  return payRequest(name, { paymentAmount: { currency, value: String(minor) }, ...more });
}

export async function controlPayment(
  { provider }: MerchantSimulation,
  paymentId: string,
  action: string,
  body: object = {},
): Promise<void> {
  const { status, text } = await provider.control(paymentId, action, body);
  assert.equal(status, 200, `${action}: ${text}`);
}

async function waitForStatus(
  { request }: MerchantSimulation,
  paymentId: string,
  paymentStatus: string,
): Promise<void> {
  await eventually(
    20_000,
    () => request("payments/inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === paymentStatus,
  );
}

/** A payment that a buyer makes at once. */
export async function payAtOnce(
  simulation: MerchantSimulation,
  name: string,
  random: Random,
): Promise<PaidPayment> {
  return approvePayment(simulation, name, await requestPayment(simulation, name, random));
}

/** The first payments of a shop, so that there is an amount to refund. */
export async function makeFirstPayments(simulation: MerchantSimulation): Promise<void> {
  for (const currency of currencies) {
    const name = `opening-${currency}`;
    const money = { currency, minor: 1_000_000 };
    const { json } = await simulation.request("payments/pay", newPayRequest(name, money));
    await approvePayment(simulation, name, { paymentId: String(json["paymentId"]), ...money });
  }
}

async function approvePayment(
  simulation: MerchantSimulation,
  name: string,
  paid: PaidPayment,
): Promise<PaidPayment> {
  await controlPayment(simulation, paid.paymentId, "approve");
  await waitForStatus(simulation, paid.paymentId, "SUCCESS");
  simulation.accounting.bookPayment(paid.currency, paid.minor);
  simulation.accounting.addLine(simulation.day(), `${name} paid ${paid.currency} ${paid.minor}`);
  return paid;
}

async function refund(
  simulation: MerchantSimulation,
  name: string,
  { paymentId, currency }: PaidPayment,
  minor: number,
): Promise<string> {
  const refundAmount = { currency, value: String(minor) };
  const code = await simulation.codeOf("payments/refund", { refundRequestId: name, paymentId, refundAmount });
  if (code === "SUCCESS") simulation.accounting.bookRefund(currency, minor);
  simulation.accounting.addLine(simulation.day(), `${name} refund of ${currency} ${minor}: ${code}`);
  return code;
}

const manualCapture = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };

export const paymentStories: Readonly<Record<string, Story>> = {
  async *payment(simulation, name, random) {
    const paid = await payAtOnce(simulation, name, random);
    yield 100;
    // A request id is never free again: months later the same request has the same response.
    assert.equal(await simulation.codeOf("payments/pay", newPayRequest(name, paid)), "SUCCESS");
  },

  async *declined(simulation, name, random) {
    const requested = await requestPayment(simulation, name, random);
    await controlPayment(simulation, requested.paymentId, "decline");
    await waitForStatus(simulation, requested.paymentId, "FAIL");
    yield 10;
    assert.equal(
      await simulation.codeOf("payments/pay", newPayRequest(name, requested)),
      "USER_BALANCE_NOT_ENOUGH",
    );
    simulation.accounting.addLine(simulation.day(), `${name} declined`);
  },

  async *forgotten(simulation, name, random) {
    const { paymentId } = await requestPayment(simulation, name, random);
    yield 1;
    await waitForStatus(simulation, paymentId, "FAIL");
    simulation.accounting.addLine(simulation.day(), `${name} expired`);
  },

  async *cancelled(simulation, name, random) {
    const paid = await payAtOnce(simulation, name, random);
    assert.equal(await simulation.codeOf("payments/cancel", { paymentId: paid.paymentId }), "SUCCESS");
    simulation.accounting.bookReversal(paid.currency, paid.minor);
    yield 2;
    assert.equal(await refund(simulation, `${name}-late`, paid, 1), "ORDER_IS_CANCELED");
  },

  async *refunded(simulation, name, random) {
    const paid = await payAtOnce(simulation, name, random);
    let leftMinor = paid.minor;
    for (let part = 1; part <= 3; part += 1) {
      yield random.between(1, 30);
      const minor = part === 3 ? leftMinor : random.between(1, Math.floor(leftMinor / 2));
      if (minor > 0) assert.equal(await refund(simulation, `${name}-${part}`, paid, minor), "SUCCESS");
      leftMinor -= minor;
    }
    assert.equal(await refund(simulation, `${name}-more`, paid, 1), "REFUND_AMOUNT_EXCEED");
  },

  async *"refunded too late"(simulation, name, random) {
    // This story runs only in the first 30 days, because only then can a payment become a year old before the end.
    if (simulation.day() > 30) return;
    const paid = await payAtOnce(simulation, name, random);
    yield 366;
    assert.equal(await refund(simulation, name, paid, 1), "REFUND_WINDOW_EXCEED");
  },

  async *captured(simulation, name, random) {
    const { paymentId, currency, minor } = await requestPayment(simulation, name, random, manualCapture);
    await controlPayment(simulation, paymentId, "approve");
    await waitForStatus(simulation, paymentId, "SUCCESS");
    let leftMinor = minor;
    for (let part = 1; part <= 2; part += 1) {
      yield random.between(1, 3);
      const value = random.between(1, leftMinor);
      const captureAmount = { currency, value: String(value) };
      const request = { captureRequestId: `${name}-${part}`, paymentId, captureAmount };
      const code = await simulation.codeOf("payments/capture", request);
      const rest = leftMinor - value;
      assert.equal(code, "SUCCESS", name);
      simulation.accounting.bookPayment(currency, value);
      simulation.accounting.addLine(simulation.day(), `${name} captured ${currency} ${value}`);
      if (rest === 0) return;
      leftMinor = rest;
    }
  },

  async *"let go"(simulation, name, random) {
    const { paymentId, currency } = await requestPayment(simulation, name, random, manualCapture);
    await controlPayment(simulation, paymentId, "approve");
    await waitForStatus(simulation, paymentId, "SUCCESS");
    yield 8;
    const captureAmount = { currency, value: "1" };
    const code = await simulation.codeOf("payments/capture", {
      captureRequestId: name,
      paymentId,
      captureAmount,
    });
    assert.equal(code, "AUTH_EXPIRED");
    simulation.accounting.addLine(simulation.day(), `${name} ${code}`);
  },
};
