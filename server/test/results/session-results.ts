import { newMerchant } from "../start/test-gateway.ts";
import { payRequest } from "../start/test-stack.ts";
import { sessionRequest } from "../shop/test-session.ts";
import type { ResultProducers } from "./pay-results.ts";
import { advanceClock, type ResultEnvironment } from "./result-environment.ts";

const path = "payments/createPaymentSession";

/** Requests a new session. */
function createSession(environment: ResultEnvironment, more: object = {}): Promise<string> {
  return environment.codeOf(path, sessionRequest(environment.newName("session"), more));
}

export const consultResults: ResultProducers = {
  SUCCESS: (environment) => environment.codeOf("payments/consult", consultRequest()),
  CURRENCY_NOT_SUPPORT: (environment) =>
    environment.codeOf(
      "payments/consult",
      consultRequest({ paymentAmount: { currency: "XTS", value: "1" } }),
    ),
  NO_PAY_OPTIONS: (environment) =>
    environment.codeOf("payments/consult", consultRequest({ allowedPaymentMethods: ["NOBODYS"] })),
};

function consultRequest(more: object = {}): object {
  return {
    productCode: "CASHIER_PAYMENT",
    paymentAmount: { currency: "EUR", value: "1250" },
    env: { terminalType: "WEB" },
    ...more,
  };
}

export const sessionResults: ResultProducers = {
  SUCCESS: (environment) => createSession(environment),
  REPEAT_REQ_INCONSISTENT: async (environment) => {
    const paymentRequestId = environment.newName("session");
    await environment.request("payments/pay", payRequest(paymentRequestId));
    return environment.codeOf(path, sessionRequest(paymentRequestId));
  },
  ORDER_IS_CANCELED: async (environment) => {
    const paymentRequestId = environment.newName("session");
    await environment.finalCodeOf("payments/cancel", { paymentRequestId });
    return environment.codeOf(path, sessionRequest(paymentRequestId));
  },
  ORDER_IS_CLOSED: async (environment) => {
    const merchant = await newMerchant(environment.database, "Patient Lab");
    const request = sessionRequest(environment.newName("session"));
    await environment.request(path, request, merchant);
    await advanceClock(environment, merchant, 2);
    return environment.finalCodeOf(path, request, merchant);
  },
  CURRENCY_NOT_SUPPORT: (environment) =>
    createSession(environment, { paymentAmount: { currency: "XTS", value: "1" } }),
  NO_PAY_OPTIONS: (environment) =>
    createSession(environment, { paymentMethod: { paymentMethodType: "NOBODYS" } }),
  CARD_NOT_SUPPORTED: (environment) =>
    createSession(environment, { paymentMethod: { paymentMethodType: "CARD" } }),
  PAYMENT_METHOD_NOT_SUPPORTED: (environment) =>
    createSession(environment, {
      paymentMethod: { paymentMethodType: "CAPTURES_NONE" },
      paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
    }),
};

export const retrieveResults: ResultProducers = {
  SUCCESS: async (environment) => {
    const paymentRequestId = environment.newName("session");
    await environment.request(path, sessionRequest(paymentRequestId));
    return environment.codeOf("payments/retrievePaymentSession", { paymentRequestId });
  },
  ORDER_NOT_EXIST: (environment) =>
    environment.codeOf("payments/retrievePaymentSession", { paymentRequestId: "never" }),
};
