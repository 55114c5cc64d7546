import type { ResultCode } from "../../src/core/result.ts";
import { declineCodes } from "../../src/payments/pay-results.ts";
import { newMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, inStorePayRequest } from "../start/test-stack.ts";
import { advanceClock, controlPayment, type ResultEnvironment } from "./result-environment.ts";

/**
 * Makes an operation return a code, by signed requests and by actions of the buyer or the provider; returns the code.
 */
export type ResultProducer = (environment: ResultEnvironment) => Promise<string>;
export type ResultProducers = Readonly<Partial<Record<ResultCode, ResultProducer>>>;

const path = "payments/pay";

export const payResults: ResultProducers = {
  ...Object.fromEntries(
    declineCodes.map((code) => [
      code,
      (environment: ResultEnvironment) => declineAtProvider(environment, code),
    ]),
  ),
  SUCCESS: async (environment) => {
    const request = payRequest(environment.newName("pay"));
    const { json } = await environment.request(path, request);
    await controlPayment(environment, String(json["paymentId"]), "approve");
    return environment.finalCodeOf(path, request);
  },
  PAYMENT_IN_PROCESS: (environment) => environment.codeOf(path, payRequest(environment.newName("pay"))),
  CURRENCY_NOT_SUPPORT: (environment) =>
    environment.codeOf(
      path,
      payRequest(environment.newName("pay"), { paymentAmount: { currency: "XTS", value: "1" } }),
    ),
  EXPIRED_CODE: async (environment) => {
    const paymentMethodId = await environment.provider.paymentCode({ lifetimeSeconds: 0 });
    return environment.finalCodeOf(path, paymentCodeRequest(environment, paymentMethodId));
  },
  INVALID_CODE: (environment) =>
    environment.codeOf(path, paymentCodeRequest(environment, "280000000000000000")),
  MERCHANT_NOT_REGISTERED: (environment) =>
    environment.codeOf(
      path,
      inStorePayRequest(environment.newName("pay"), "OrderCode", {
        paymentMethod: { paymentMethodType: "STORES_REGISTERED" },
      }),
    ),
  NO_PAY_OPTIONS: (environment) =>
    environment.codeOf(
      path,
      payRequest(environment.newName("pay"), { paymentMethod: { paymentMethodType: "NOBODYS" } }),
    ),
  PAYMENT_METHOD_NOT_SUPPORTED: (environment) =>
    environment.codeOf(
      path,
      payRequest(environment.newName("pay"), {
        paymentMethod: { paymentMethodType: "CAPTURES_NONE" },
        paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
      }),
    ),
  ORDER_IS_CANCELED: async (environment) => {
    const paymentRequestId = environment.newName("pay");
    await environment.finalCodeOf("payments/cancel", { paymentRequestId });
    return environment.codeOf(path, payRequest(paymentRequestId));
  },
  ORDER_IS_CLOSED: async (environment) => {
    const merchant = await newMerchant(environment.database, "Waiting Lab");
    const request = payRequest(environment.newName("pay"));
    await environment.request(path, request, merchant);
    await advanceClock(environment, merchant, 1);
    return environment.finalCodeOf(path, request, merchant);
  },
  REPEAT_REQ_INCONSISTENT: async (environment) => {
    const paymentRequestId = environment.newName("pay");
    await environment.request(path, payRequest(paymentRequestId));
    return environment.codeOf(
      path,
      payRequest(paymentRequestId, { paymentAmount: { currency: "EUR", value: "9" } }),
    );
  },
  UNAVAILABLE_PAYMENT_METHOD: async (environment) => {
    const silent = { paymentMethod: { paymentMethodType: "SILENT" } };
    return whileSilent(environment, () =>
      environment.codeOf(path, payRequest(environment.newName("silent"), silent)),
    );
  },
};

/** Results after a provider is known to be silent. */
export async function whileSilent(
  { silentProvider, newName, request }: ResultEnvironment,
  produce: () => Promise<string>,
) {
  silentProvider.stopResponding();
  try {
    await eventually(
      30_000,
      () => request(path, payRequest(newName("unheard"), { paymentMethod: { paymentMethodType: "SILENT" } })),
      ({ json }) => json.result["resultCode"] === "UNAVAILABLE_PAYMENT_METHOD",
    );
    return await produce();
  } finally {
    silentProvider.resumeResponding();
  }
}

async function declineAtProvider(environment: ResultEnvironment, resultCode: ResultCode): Promise<string> {
  const request = payRequest(environment.newName("pay"));
  const { json } = await environment.request(path, request);
  await controlPayment(environment, String(json["paymentId"]), "decline", { resultCode });
  return environment.finalCodeOf(path, request);
}

function paymentCodeRequest(environment: ResultEnvironment, paymentMethodId: string): object {
  const paymentMethod = { paymentMethodType: "CONNECT_WALLET", paymentMethodId };
  return inStorePayRequest(environment.newName("pay"), "PaymentCode", { paymentMethod });
}
