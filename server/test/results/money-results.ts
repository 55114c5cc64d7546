import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import type { Produced } from "./pay-results.ts";
import { advance, asOperator, type ResultWorld } from "./world.ts";

const one = { currency: "EUR", value: "100" };
const tooMuch = { currency: "EUR", value: "999999" };
const dollars = { currency: "USD", value: "100" };

const method = (paymentMethodType: string): object => ({ paymentMethod: { paymentMethodType } });

function capture(
  world: ResultWorld,
  paymentId: string,
  captureAmount: object = one,
  as?: TestMerchant,
): Promise<string> {
  const request = { captureRequestId: world.newName("capture"), paymentId, captureAmount };
  return world.finalCodeOf("payments/capture", request, as);
}

function refund(
  world: ResultWorld,
  paymentId: string,
  refundAmount: object = one,
  as?: TestMerchant,
): Promise<string> {
  const request = { refundRequestId: world.newName("refund"), paymentId, refundAmount };
  return world.finalCodeOf("payments/refund", request, as);
}

/** The provider rejects the capture or refund for a reason that the gateway's records do not show. */
async function refused(world: ResultWorld, verb: "capture" | "refund", resultCode: string): Promise<string> {
  const paymentId = await world.payment(verb === "capture" ? "held" : "paid");
  await world.provider.fault({ kind: "refuse", resultCode, match: { paymentId, verb } });
  return verb === "capture" ? capture(world, paymentId) : refund(world, paymentId);
}

/** A merchant with a fee of 20 percent. */
async function feePayer(world: ResultWorld, name: string): Promise<TestMerchant> {
  const merchant = await newMerchant(world.database, name);
  const { clientId } = merchant;
  await asOperator(world, `update clients set fee_basis_points = 2000 where client_id = '${clientId}'`);
  // Every process reads the change within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  return merchant;
}

export const captureResults: Produced = {
  SUCCESS: async (world) => capture(world, await world.payment("held")),
  CAPTURE_IN_PROCESS: async (world) => {
    const paymentId = await world.payment("held");
    await world.provider.fault({
      kind: "late-answer",
      delayMs: 8_000,
      match: { paymentId, verb: "capture" },
    });
    const request = { captureRequestId: world.newName("capture"), paymentId, captureAmount: one };
    return world.codeOf("payments/capture", request);
  },
  AUTH_NOT_FOUND: (world) => capture(world, "20260301123450000000001000000000000"),
  AUTH_CANCELLED: async (world) => {
    const paymentId = await world.payment("held");
    await world.finalCodeOf("payments/cancel", { paymentId });
    return capture(world, paymentId);
  },
  AUTH_EXPIRED: async (world) => {
    const merchant = await newMerchant(world.database, "Late Lab");
    const paymentId = await world.payment("held", {}, merchant);
    await advance(world, merchant, 8);
    return capture(world, paymentId, one, merchant);
  },
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: async (world) => capture(world, await world.payment("held"), tooMuch),
  CURRENCY_NOT_SUPPORT: async (world) => capture(world, await world.payment("held"), dollars),
  MULTI_CAPTURE_NOT_SUPPORTED: async (world) => {
    const paymentId = await world.payment("held", method("CAPTURES_ONE"));
    await capture(world, paymentId);
    return capture(world, paymentId);
  },
  ORDER_IS_CANCELED: async (world) => capture(world, await world.payment("cancelled")),
  ORDER_STATUS_INVALID: async (world) => capture(world, await world.payment("paid")),
  REPEAT_REQ_INCONSISTENT: async (world) => {
    const request = { captureRequestId: world.newName("capture"), paymentId: await world.payment("held") };
    await world.finalCodeOf("payments/capture", { ...request, captureAmount: one });
    return world.codeOf("payments/capture", { ...request, captureAmount: { ...one, value: "101" } });
  },
  PROCESS_FAIL: (world) => refused(world, "capture", "PROCESS_FAIL"),
  RISK_REJECT: (world) => refused(world, "capture", "RISK_REJECT"),
  PAYMENT_COUNT_EXCEED_LIMIT: (world) => refused(world, "capture", "PAYMENT_COUNT_EXCEED_LIMIT"),
  USER_AMOUNT_EXCEED_LIMIT: (world) => refused(world, "capture", "USER_AMOUNT_EXCEED_LIMIT"),
  USER_BALANCE_NOT_ENOUGH: (world) => refused(world, "capture", "USER_BALANCE_NOT_ENOUGH"),
  USER_NOT_EXIST: (world) => refused(world, "capture", "USER_NOT_EXIST"),
  USER_STATUS_ABNORMAL: (world) => refused(world, "capture", "USER_STATUS_ABNORMAL"),
};

export const refundResults: Produced = {
  SUCCESS: async (world) => refund(world, await world.payment("paid")),
  REFUND_IN_PROCESS: async (world) => {
    const paymentId = await world.payment("paid");
    await world.provider.fault({ kind: "refund-pending", match: { paymentId, verb: "refund" } });
    const request = { refundRequestId: world.newName("refund"), paymentId, refundAmount: one };
    return world.codeOf("payments/refund", request);
  },
  CURRENCY_NOT_SUPPORT: async (world) => refund(world, await world.payment("paid"), dollars),
  MERCHANT_BALANCE_NOT_ENOUGH: async (world) => {
    // A refund does not return the merchant's fee, so the balance does not cover a full refund.
    const merchant = await feePayer(world, "Poor Lab");
    const paymentId = await world.payment("paid", {}, merchant);
    return refund(world, paymentId, { currency: "EUR", value: "1250" }, merchant);
  },
  MULTIPLE_REFUNDS_NOT_SUPPORTED: async (world) => {
    const paymentId = await world.payment("paid", method("REFUNDS_ONCE"));
    await refund(world, paymentId);
    return refund(world, paymentId);
  },
  ORDER_IS_CANCELED: async (world) => refund(world, await world.payment("cancelled")),
  ORDER_IS_CLOSED: async (world) => {
    const merchant = await newMerchant(world.database, "Closed Lab");
    const paymentId = await world.payment("open", {}, merchant);
    await advance(world, merchant, 1);
    return refund(world, paymentId, one, merchant);
  },
  ORDER_NOT_EXIST: (world) => refund(world, "20260301123450000000001000000000000"),
  ORDER_STATUS_INVALID: async (world) => refund(world, await world.payment("declined")),
  PARTIAL_REFUND_NOT_SUPPORTED: async (world) =>
    refund(world, await world.payment("paid", method("REFUNDS_FULL"))),
  PROCESS_FAIL: (world) => refused(world, "refund", "PROCESS_FAIL"),
  RISK_REJECT: (world) => refused(world, "refund", "RISK_REJECT"),
  USER_NOT_EXIST: (world) => refused(world, "refund", "USER_NOT_EXIST"),
  USER_STATUS_ABNORMAL: (world) => refused(world, "refund", "USER_STATUS_ABNORMAL"),
  REFUND_AMOUNT_EXCEED: async (world) => refund(world, await world.payment("paid"), tooMuch),
  REFUND_NOT_SUPPORTED: async (world) => refund(world, await world.payment("paid", method("REFUNDS_NONE"))),
  REFUND_WINDOW_EXCEED: async (world) => {
    const merchant = await newMerchant(world.database, "Old Lab");
    const paymentId = await world.payment("paid", method("REFUNDS_SOON"), merchant);
    await advance(world, merchant, 31);
    return refund(world, paymentId, one, merchant);
  },
  REPEAT_REQ_INCONSISTENT: async (world) => {
    const request = { refundRequestId: world.newName("refund"), paymentId: await world.payment("paid") };
    await world.finalCodeOf("payments/refund", { ...request, refundAmount: one });
    return world.codeOf("payments/refund", { ...request, refundAmount: { ...one, value: "101" } });
  },
};

export const cancelResults: Produced = {
  SUCCESS: async (world) => world.finalCodeOf("payments/cancel", { paymentId: await world.payment("open") }),
  CANCEL_WINDOW_EXCEED: async (world) => {
    const merchant = await newMerchant(world.database, "Slow Lab");
    const paymentId = await world.payment("paid", {}, merchant);
    await advance(world, merchant, 3);
    return world.finalCodeOf("payments/cancel", { paymentId }, merchant);
  },
  MERCHANT_BALANCE_NOT_ENOUGH: async (world) => {
    const merchant = await feePayer(world, "Spent Lab");
    const first = await world.payment("paid", {}, merchant);
    const second = await world.payment("paid", {}, merchant);
    // The refund of the second payment is larger than its net amount, so the remaining balance does not cover a cancel
    // of the first payment.
    await refund(world, second, { currency: "EUR", value: "1250" }, merchant);
    return world.finalCodeOf("payments/cancel", { paymentId: first }, merchant);
  },
  ORDER_NOT_EXIST: (world) =>
    world.codeOf("payments/cancel", { paymentId: "20260301123450000000001000000000000" }),
  ORDER_STATUS_INVALID: async (world) =>
    world.finalCodeOf("payments/cancel", { paymentId: await world.payment("declined") }),
  PAYMENT_METHOD_NOT_SUPPORTED: async (world) =>
    world.finalCodeOf("payments/cancel", { paymentId: await world.payment("paid", method("CANCELS_NEVER")) }),
  PROCESS_FAIL: (world) => cancelRefused(world, "PROCESS_FAIL"),
  USER_NOT_EXIST: (world) => cancelRefused(world, "USER_NOT_EXIST"),
  USER_STATUS_ABNORMAL: (world) => cancelRefused(world, "USER_STATUS_ABNORMAL"),
};

/** Cancelling a paid payment returns the money, which the provider may refuse. */
async function cancelRefused(world: ResultWorld, resultCode: string): Promise<string> {
  const paymentId = await world.payment("paid");
  await world.provider.fault({ kind: "refuse", resultCode, match: { paymentId, verb: "refund" } });
  return world.finalCodeOf("payments/cancel", { paymentId });
}

export const inquiryResults: Produced = {
  SUCCESS: async (world) =>
    world.codeOf("payments/inquiryPayment", { paymentId: await world.payment("paid") }),
  ORDER_NOT_EXIST: (world) =>
    world.codeOf("payments/inquiryPayment", { paymentId: "20260301123450000000001000000000000" }),
};

export const refundInquiryResults: Produced = {
  SUCCESS: async (world) => {
    const refundRequestId = world.newName("refund");
    const paymentId = await world.payment("paid");
    await world.finalCodeOf("payments/refund", { refundRequestId, paymentId, refundAmount: one });
    return world.codeOf("payments/inquiryRefund", { refundRequestId });
  },
  ORDER_NOT_EXIST: (world) => world.codeOf("payments/inquiryRefund", { refundRequestId: "never-sent" }),
};
