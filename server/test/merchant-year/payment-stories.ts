import assert from "node:assert/strict";
import { eventually } from "../start/test-process.ts";
import { payRequest } from "../start/test-stack.ts";
import type { Random } from "./random.ts";
import type { Life, Plot } from "./merchant-year.ts";

export interface Paid {
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: number;
}

const currencies = ["EUR", "USD", "JPY"];

export function someMoney(random: Random): Omit<Paid, "paymentId"> {
  return { currency: random.pick(currencies), minor: random.between(500, 90_000) };
}

async function begin(life: Life, name: string, random: Random, more: object = {}): Promise<Paid> {
  const money = someMoney(random);
  const { json } = await life.ask("payments/pay", requestOf(name, money, more));
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", name);
  return { paymentId: String(json["paymentId"]), ...money };
}

function requestOf(name: string, { currency, minor }: Omit<Paid, "paymentId">, more: object = {}): object {
  return payRequest(name, { paymentAmount: { currency, value: String(minor) }, ...more });
}

export async function act(
  { provider }: Life,
  paymentId: string,
  what: string,
  body: object = {},
): Promise<void> {
  const { status, text } = await provider.control(paymentId, what, body);
  assert.equal(status, 200, `${what}: ${text}`);
}

async function until({ ask }: Life, paymentId: string, paymentStatus: string): Promise<void> {
  await eventually(
    20_000,
    () => ask("payments/inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === paymentStatus,
  );
}

/** A payment that a buyer makes at once. */
export async function takePayment(life: Life, name: string, random: Random): Promise<Paid> {
  return approved(life, name, await begin(life, name, random));
}

/** The first payments of a shop, so that there is an amount to refund. */
export async function openShop(life: Life): Promise<void> {
  for (const currency of currencies) {
    const name = `opening-${currency}`;
    const money = { currency, minor: 1_000_000 };
    const { json } = await life.ask("payments/pay", requestOf(name, money));
    await approved(life, name, { paymentId: String(json["paymentId"]), ...money });
  }
}

async function approved(life: Life, name: string, paid: Paid): Promise<Paid> {
  await act(life, paid.paymentId, "approve");
  await until(life, paid.paymentId, "SUCCESS");
  life.book.took(paid.currency, paid.minor);
  life.book.line(life.day(), `${name} paid ${paid.currency} ${paid.minor}`);
  return paid;
}

async function refund(
  life: Life,
  name: string,
  { paymentId, currency }: Paid,
  minor: number,
): Promise<string> {
  const refundAmount = { currency, value: String(minor) };
  const code = await life.codeOf("payments/refund", { refundRequestId: name, paymentId, refundAmount });
  if (code === "SUCCESS") life.book.bookRefund(currency, minor);
  life.book.line(life.day(), `${name} refund of ${currency} ${minor}: ${code}`);
  return code;
}

const held = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };

export const paymentPlots: Readonly<Record<string, Plot>> = {
  async *payment(life, name, random) {
    const paid = await takePayment(life, name, random);
    yield 100;
    // A request id is never free again: months later the same request has the same response.
    assert.equal(await life.codeOf("payments/pay", requestOf(name, paid)), "SUCCESS");
  },

  async *declined(life, name, random) {
    const asked = await begin(life, name, random);
    await act(life, asked.paymentId, "decline");
    await until(life, asked.paymentId, "FAIL");
    yield 10;
    assert.equal(await life.codeOf("payments/pay", requestOf(name, asked)), "USER_BALANCE_NOT_ENOUGH");
    life.book.line(life.day(), `${name} declined`);
  },

  async *forgotten(life, name, random) {
    const { paymentId } = await begin(life, name, random);
    yield 1;
    await until(life, paymentId, "FAIL");
    life.book.line(life.day(), `${name} expired`);
  },

  async *cancelled(life, name, random) {
    const paid = await takePayment(life, name, random);
    assert.equal(await life.codeOf("payments/cancel", { paymentId: paid.paymentId }), "SUCCESS");
    life.book.undid(paid.currency, paid.minor);
    yield 2;
    assert.equal(await refund(life, `${name}-late`, paid, 1), "ORDER_IS_CANCELED");
  },

  async *refunded(life, name, random) {
    const paid = await takePayment(life, name, random);
    let left = paid.minor;
    for (let part = 1; part <= 3; part += 1) {
      yield random.between(1, 30);
      const minor = part === 3 ? left : random.between(1, Math.floor(left / 2));
      if (minor > 0) assert.equal(await refund(life, `${name}-${part}`, paid, minor), "SUCCESS");
      left -= minor;
    }
    assert.equal(await refund(life, `${name}-more`, paid, 1), "REFUND_AMOUNT_EXCEED");
  },

  async *"refunded too late"(life, name, random) {
    // This story runs only in the first 30 days, because only then can a payment become a year old before the end.
    if (life.day() > 30) return;
    const paid = await takePayment(life, name, random);
    yield 366;
    assert.equal(await refund(life, name, paid, 1), "REFUND_WINDOW_EXCEED");
  },

  async *captured(life, name, random) {
    const { paymentId, currency, minor } = await begin(life, name, random, held);
    await act(life, paymentId, "approve");
    await until(life, paymentId, "SUCCESS");
    let left = minor;
    for (let part = 1; part <= 2; part += 1) {
      yield random.between(1, 3);
      const value = random.between(1, left);
      const captureAmount = { currency, value: String(value) };
      const asked = { captureRequestId: `${name}-${part}`, paymentId, captureAmount };
      const code = await life.codeOf("payments/capture", asked);
      const rest = left - value;
      assert.equal(code, "SUCCESS", name);
      life.book.took(currency, value);
      life.book.line(life.day(), `${name} captured ${currency} ${value}`);
      if (rest === 0) return;
      left = rest;
    }
  },

  async *"let go"(life, name, random) {
    const { paymentId, currency } = await begin(life, name, random, held);
    await act(life, paymentId, "approve");
    await until(life, paymentId, "SUCCESS");
    yield 8;
    const captureAmount = { currency, value: "1" };
    const code = await life.codeOf("payments/capture", { captureRequestId: name, paymentId, captureAmount });
    assert.equal(code, "AUTH_EXPIRED");
    life.book.line(life.day(), `${name} ${code}`);
  },
};
