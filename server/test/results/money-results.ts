import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import type { ResultProducers } from "./pay-results.ts";
import { advanceClock, executeAsSuperuser, type ResultEnvironment } from "./result-environment.ts";

const oneEuro = { currency: "EUR", value: "100" };
const tooMuch = { currency: "EUR", value: "999999" };
const dollars = { currency: "USD", value: "100" };

const method = (paymentMethodType: string): object => ({ paymentMethod: { paymentMethodType } });

function capture(
  environment: ResultEnvironment,
  paymentId: string,
  captureAmount: object = oneEuro,
  as?: TestMerchant,
): Promise<string> {
  const request = { captureRequestId: environment.newName("capture"), paymentId, captureAmount };
  return environment.finalCodeOf("payments/capture", request, as);
}

function refund(
  environment: ResultEnvironment,
  paymentId: string,
  refundAmount: object = oneEuro,
  as?: TestMerchant,
): Promise<string> {
  const request = { refundRequestId: environment.newName("refund"), paymentId, refundAmount };
  return environment.finalCodeOf("payments/refund", request, as);
}

/** The provider rejects the capture or refund for a reason that the gateway's records do not show. */
async function refuseAtProvider(
  environment: ResultEnvironment,
  verb: "capture" | "refund",
  resultCode: string,
): Promise<string> {
  const paymentId = await environment.payment(verb === "capture" ? "held" : "paid");
  await environment.provider.fault({ kind: "refuse", resultCode, match: { paymentId, verb } });
  return verb === "capture" ? capture(environment, paymentId) : refund(environment, paymentId);
}

/** A merchant with a fee of 20 percent. */
async function createFeePayer(environment: ResultEnvironment, name: string): Promise<TestMerchant> {
  const merchant = await newMerchant(environment.database, name);
  const { clientId } = merchant;
  await executeAsSuperuser(
    environment,
    `update clients set fee_basis_points = 2000 where client_id = '${clientId}'`,
  );
  // Every process reads the change within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  return merchant;
}

export const captureResults: ResultProducers = {
  SUCCESS: async (environment) => capture(environment, await environment.payment("held")),
  CAPTURE_IN_PROCESS: async (environment) => {
    const paymentId = await environment.payment("held");
    await environment.provider.fault({
      kind: "late-answer",
      delayMs: 8_000,
      match: { paymentId, verb: "capture" },
    });
    const request = { captureRequestId: environment.newName("capture"), paymentId, captureAmount: oneEuro };
    return environment.codeOf("payments/capture", request);
  },
  AUTH_NOT_FOUND: (environment) => capture(environment, "20260301123450000000001000000000000"),
  AUTH_CANCELLED: async (environment) => {
    const paymentId = await environment.payment("held");
    await environment.finalCodeOf("payments/cancel", { paymentId });
    return capture(environment, paymentId);
  },
  AUTH_EXPIRED: async (environment) => {
    const merchant = await newMerchant(environment.database, "Late Lab");
    const paymentId = await environment.payment("held", {}, merchant);
    await advanceClock(environment, merchant, 8);
    return capture(environment, paymentId, oneEuro, merchant);
  },
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: async (environment) =>
    capture(environment, await environment.payment("held"), tooMuch),
  CURRENCY_NOT_SUPPORT: async (environment) =>
    capture(environment, await environment.payment("held"), dollars),
  MULTI_CAPTURE_NOT_SUPPORTED: async (environment) => {
    const paymentId = await environment.payment("held", method("CAPTURES_ONE"));
    await capture(environment, paymentId);
    return capture(environment, paymentId);
  },
  ORDER_IS_CANCELED: async (environment) => capture(environment, await environment.payment("cancelled")),
  ORDER_STATUS_INVALID: async (environment) => capture(environment, await environment.payment("paid")),
  REPEAT_REQ_INCONSISTENT: async (environment) => {
    const request = {
      captureRequestId: environment.newName("capture"),
      paymentId: await environment.payment("held"),
    };
    await environment.finalCodeOf("payments/capture", { ...request, captureAmount: oneEuro });
    return environment.codeOf("payments/capture", {
      ...request,
      captureAmount: { ...oneEuro, value: "101" },
    });
  },
  PROCESS_FAIL: (environment) => refuseAtProvider(environment, "capture", "PROCESS_FAIL"),
  RISK_REJECT: (environment) => refuseAtProvider(environment, "capture", "RISK_REJECT"),
  PAYMENT_COUNT_EXCEED_LIMIT: (environment) =>
    refuseAtProvider(environment, "capture", "PAYMENT_COUNT_EXCEED_LIMIT"),
  USER_AMOUNT_EXCEED_LIMIT: (environment) =>
    refuseAtProvider(environment, "capture", "USER_AMOUNT_EXCEED_LIMIT"),
  USER_BALANCE_NOT_ENOUGH: (environment) =>
    refuseAtProvider(environment, "capture", "USER_BALANCE_NOT_ENOUGH"),
  USER_NOT_EXIST: (environment) => refuseAtProvider(environment, "capture", "USER_NOT_EXIST"),
  USER_STATUS_ABNORMAL: (environment) => refuseAtProvider(environment, "capture", "USER_STATUS_ABNORMAL"),
};

export const refundResults: ResultProducers = {
  SUCCESS: async (environment) => refund(environment, await environment.payment("paid")),
  REFUND_IN_PROCESS: async (environment) => {
    const paymentId = await environment.payment("paid");
    await environment.provider.fault({ kind: "refund-pending", match: { paymentId, verb: "refund" } });
    const request = { refundRequestId: environment.newName("refund"), paymentId, refundAmount: oneEuro };
    return environment.codeOf("payments/refund", request);
  },
  CURRENCY_NOT_SUPPORT: async (environment) =>
    refund(environment, await environment.payment("paid"), dollars),
  MERCHANT_BALANCE_NOT_ENOUGH: async (environment) => {
    // A refund does not return the merchant's fee, so the balance does not cover a full refund.
    const merchant = await createFeePayer(environment, "Poor Lab");
    const paymentId = await environment.payment("paid", {}, merchant);
    return refund(environment, paymentId, { currency: "EUR", value: "1250" }, merchant);
  },
  MULTIPLE_REFUNDS_NOT_SUPPORTED: async (environment) => {
    const paymentId = await environment.payment("paid", method("REFUNDS_ONCE"));
    await refund(environment, paymentId);
    return refund(environment, paymentId);
  },
  ORDER_IS_CANCELED: async (environment) => refund(environment, await environment.payment("cancelled")),
  ORDER_IS_CLOSED: async (environment) => {
    const merchant = await newMerchant(environment.database, "Closed Lab");
    const paymentId = await environment.payment("open", {}, merchant);
    await advanceClock(environment, merchant, 1);
    return refund(environment, paymentId, oneEuro, merchant);
  },
  ORDER_NOT_EXIST: (environment) => refund(environment, "20260301123450000000001000000000000"),
  ORDER_STATUS_INVALID: async (environment) => refund(environment, await environment.payment("declined")),
  PARTIAL_REFUND_NOT_SUPPORTED: async (environment) =>
    refund(environment, await environment.payment("paid", method("REFUNDS_FULL"))),
  PROCESS_FAIL: (environment) => refuseAtProvider(environment, "refund", "PROCESS_FAIL"),
  RISK_REJECT: (environment) => refuseAtProvider(environment, "refund", "RISK_REJECT"),
  USER_NOT_EXIST: (environment) => refuseAtProvider(environment, "refund", "USER_NOT_EXIST"),
  USER_STATUS_ABNORMAL: (environment) => refuseAtProvider(environment, "refund", "USER_STATUS_ABNORMAL"),
  REFUND_AMOUNT_EXCEED: async (environment) =>
    refund(environment, await environment.payment("paid"), tooMuch),
  REFUND_NOT_SUPPORTED: async (environment) =>
    refund(environment, await environment.payment("paid", method("REFUNDS_NONE"))),
  REFUND_WINDOW_EXCEED: async (environment) => {
    const merchant = await newMerchant(environment.database, "Old Lab");
    const paymentId = await environment.payment("paid", method("REFUNDS_SOON"), merchant);
    await advanceClock(environment, merchant, 31);
    return refund(environment, paymentId, oneEuro, merchant);
  },
  REPEAT_REQ_INCONSISTENT: async (environment) => {
    const request = {
      refundRequestId: environment.newName("refund"),
      paymentId: await environment.payment("paid"),
    };
    await environment.finalCodeOf("payments/refund", { ...request, refundAmount: oneEuro });
    return environment.codeOf("payments/refund", { ...request, refundAmount: { ...oneEuro, value: "101" } });
  },
};

export const cancelResults: ResultProducers = {
  SUCCESS: async (environment) =>
    environment.finalCodeOf("payments/cancel", { paymentId: await environment.payment("open") }),
  CANCEL_WINDOW_EXCEED: async (environment) => {
    const merchant = await newMerchant(environment.database, "Slow Lab");
    const paymentId = await environment.payment("paid", {}, merchant);
    await advanceClock(environment, merchant, 3);
    return environment.finalCodeOf("payments/cancel", { paymentId }, merchant);
  },
  MERCHANT_BALANCE_NOT_ENOUGH: async (environment) => {
    const merchant = await createFeePayer(environment, "Spent Lab");
    const first = await environment.payment("paid", {}, merchant);
    const second = await environment.payment("paid", {}, merchant);
    // The refund of the second payment is larger than its net amount, so the remaining balance does not cover a cancel
    // of the first payment.
    await refund(environment, second, { currency: "EUR", value: "1250" }, merchant);
    return environment.finalCodeOf("payments/cancel", { paymentId: first }, merchant);
  },
  ORDER_NOT_EXIST: (environment) =>
    environment.codeOf("payments/cancel", { paymentId: "20260301123450000000001000000000000" }),
  ORDER_STATUS_INVALID: async (environment) =>
    environment.finalCodeOf("payments/cancel", { paymentId: await environment.payment("declined") }),
  PAYMENT_METHOD_NOT_SUPPORTED: async (environment) =>
    environment.finalCodeOf("payments/cancel", {
      paymentId: await environment.payment("paid", method("CANCELS_NEVER")),
    }),
  PROCESS_FAIL: (environment) => refuseCancelAtProvider(environment, "PROCESS_FAIL"),
  USER_NOT_EXIST: (environment) => refuseCancelAtProvider(environment, "USER_NOT_EXIST"),
  USER_STATUS_ABNORMAL: (environment) => refuseCancelAtProvider(environment, "USER_STATUS_ABNORMAL"),
};

/** Cancelling a paid payment returns the money, which the provider may refuse. */
async function refuseCancelAtProvider(environment: ResultEnvironment, resultCode: string): Promise<string> {
  const paymentId = await environment.payment("paid");
  await environment.provider.fault({ kind: "refuse", resultCode, match: { paymentId, verb: "refund" } });
  return environment.finalCodeOf("payments/cancel", { paymentId });
}

export const inquiryResults: ResultProducers = {
  SUCCESS: async (environment) =>
    environment.codeOf("payments/inquiryPayment", { paymentId: await environment.payment("paid") }),
  ORDER_NOT_EXIST: (environment) =>
    environment.codeOf("payments/inquiryPayment", { paymentId: "20260301123450000000001000000000000" }),
};

export const refundInquiryResults: ResultProducers = {
  SUCCESS: async (environment) => {
    const refundRequestId = environment.newName("refund");
    const paymentId = await environment.payment("paid");
    await environment.finalCodeOf("payments/refund", { refundRequestId, paymentId, refundAmount: oneEuro });
    return environment.codeOf("payments/inquiryRefund", { refundRequestId });
  },
  ORDER_NOT_EXIST: (environment) =>
    environment.codeOf("payments/inquiryRefund", { refundRequestId: "never-sent" }),
};
