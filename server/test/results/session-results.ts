import { newMerchant } from "../start/test-gateway.ts";
import { payRequest } from "../start/test-stack.ts";
import { sessionRequest } from "../shop/test-session.ts";
import type { Produced } from "./pay-results.ts";
import { advance, type ResultWorld } from "./world.ts";

const path = "payments/createPaymentSession";

/** Requests a new session. */
function create(world: ResultWorld, more: object = {}): Promise<string> {
  return world.codeOf(path, sessionRequest(world.newName("session"), more));
}

export const consultResults: Produced = {
  SUCCESS: (world) => world.codeOf("payments/consult", consultRequest()),
  CURRENCY_NOT_SUPPORT: (world) =>
    world.codeOf("payments/consult", consultRequest({ paymentAmount: { currency: "XTS", value: "1" } })),
  NO_PAY_OPTIONS: (world) =>
    world.codeOf("payments/consult", consultRequest({ allowedPaymentMethods: ["NOBODYS"] })),
};

function consultRequest(more: object = {}): object {
  return {
    productCode: "CASHIER_PAYMENT",
    paymentAmount: { currency: "EUR", value: "1250" },
    env: { terminalType: "WEB" },
    ...more,
  };
}

export const sessionResults: Produced = {
  SUCCESS: (world) => create(world),
  REPEAT_REQ_INCONSISTENT: async (world) => {
    const paymentRequestId = world.newName("session");
    await world.ask("payments/pay", payRequest(paymentRequestId));
    return world.codeOf(path, sessionRequest(paymentRequestId));
  },
  ORDER_IS_CANCELED: async (world) => {
    const paymentRequestId = world.newName("session");
    await world.finalCodeOf("payments/cancel", { paymentRequestId });
    return world.codeOf(path, sessionRequest(paymentRequestId));
  },
  ORDER_IS_CLOSED: async (world) => {
    const merchant = await newMerchant(world.database, "Patient Lab");
    const request = sessionRequest(world.newName("session"));
    await world.ask(path, request, merchant);
    await advance(world, merchant, 2);
    return world.finalCodeOf(path, request, merchant);
  },
  CURRENCY_NOT_SUPPORT: (world) => create(world, { paymentAmount: { currency: "XTS", value: "1" } }),
  NO_PAY_OPTIONS: (world) => create(world, { paymentMethod: { paymentMethodType: "NOBODYS" } }),
  CARD_NOT_SUPPORTED: (world) => create(world, { paymentMethod: { paymentMethodType: "CARD" } }),
  PAYMENT_METHOD_NOT_SUPPORTED: (world) =>
    create(world, {
      paymentMethod: { paymentMethodType: "CAPTURES_NONE" },
      paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
    }),
};

export const retrieveResults: Produced = {
  SUCCESS: async (world) => {
    const paymentRequestId = world.newName("session");
    await world.ask(path, sessionRequest(paymentRequestId));
    return world.codeOf("payments/retrievePaymentSession", { paymentRequestId });
  },
  ORDER_NOT_EXIST: (world) => world.codeOf("payments/retrievePaymentSession", { paymentRequestId: "never" }),
};
