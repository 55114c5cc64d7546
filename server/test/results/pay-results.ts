import type { ResultCode } from "../../src/core/result.ts";
import { declineCodes } from "../../src/payments/pay-results.ts";
import { newMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, tillRequest } from "../start/test-stack.ts";
import { advance, control, type ResultWorld } from "./world.ts";

/**
 * Makes an operation return a code, by signed requests and by actions of the buyer or the provider; returns the code.
 */
export type Produce = (world: ResultWorld) => Promise<string>;
export type Produced = Readonly<Partial<Record<ResultCode, Produce>>>;

const path = "payments/pay";

export const payResults: Produced = {
  ...Object.fromEntries(declineCodes.map((code) => [code, (world: ResultWorld) => declinedFor(world, code)])),
  SUCCESS: async (world) => {
    const request = payRequest(world.newName("pay"));
    const { json } = await world.ask(path, request);
    await control(world, String(json["paymentId"]), "approve");
    return world.finalCodeOf(path, request);
  },
  PAYMENT_IN_PROCESS: (world) => world.codeOf(path, payRequest(world.newName("pay"))),
  CURRENCY_NOT_SUPPORT: (world) =>
    world.codeOf(path, payRequest(world.newName("pay"), { paymentAmount: { currency: "XTS", value: "1" } })),
  EXPIRED_CODE: async (world) => {
    const paymentMethodId = await world.provider.paymentCode({ lifetimeSeconds: 0 });
    return world.finalCodeOf(path, scanned(world, paymentMethodId));
  },
  INVALID_CODE: (world) => world.codeOf(path, scanned(world, "280000000000000000")),
  MERCHANT_NOT_REGISTERED: (world) =>
    world.codeOf(
      path,
      tillRequest(world.newName("pay"), "OrderCode", {
        paymentMethod: { paymentMethodType: "STORES_REGISTERED" },
      }),
    ),
  NO_PAY_OPTIONS: (world) =>
    world.codeOf(path, payRequest(world.newName("pay"), { paymentMethod: { paymentMethodType: "NOBODYS" } })),
  PAYMENT_METHOD_NOT_SUPPORTED: (world) =>
    world.codeOf(
      path,
      payRequest(world.newName("pay"), {
        paymentMethod: { paymentMethodType: "CAPTURES_NONE" },
        paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
      }),
    ),
  ORDER_IS_CANCELED: async (world) => {
    const paymentRequestId = world.newName("pay");
    await world.finalCodeOf("payments/cancel", { paymentRequestId });
    return world.codeOf(path, payRequest(paymentRequestId));
  },
  ORDER_IS_CLOSED: async (world) => {
    const merchant = await newMerchant(world.database, "Waiting Lab");
    const request = payRequest(world.newName("pay"));
    await world.ask(path, request, merchant);
    await advance(world, merchant, 1);
    return world.finalCodeOf(path, request, merchant);
  },
  REPEAT_REQ_INCONSISTENT: async (world) => {
    const paymentRequestId = world.newName("pay");
    await world.ask(path, payRequest(paymentRequestId));
    return world.codeOf(
      path,
      payRequest(paymentRequestId, { paymentAmount: { currency: "EUR", value: "9" } }),
    );
  },
  UNAVAILABLE_PAYMENT_METHOD: async (world) => {
    const silent = { paymentMethod: { paymentMethodType: "SILENT" } };
    return whileSilent(world, () => world.codeOf(path, payRequest(world.newName("silent"), silent)));
  },
};

/** Results after a provider is known to be silent. */
export async function whileSilent(
  { silentProvider, newName, ask }: ResultWorld,
  produce: () => Promise<string>,
) {
  silentProvider.stopResponding();
  try {
    await eventually(
      30_000,
      () => ask(path, payRequest(newName("unheard"), { paymentMethod: { paymentMethodType: "SILENT" } })),
      ({ json }) => json.result["resultCode"] === "UNAVAILABLE_PAYMENT_METHOD",
    );
    return await produce();
  } finally {
    silentProvider.resumeResponding();
  }
}

async function declinedFor(world: ResultWorld, resultCode: ResultCode): Promise<string> {
  const request = payRequest(world.newName("pay"));
  const { json } = await world.ask(path, request);
  await control(world, String(json["paymentId"]), "decline", { resultCode });
  return world.finalCodeOf(path, request);
}

function scanned(world: ResultWorld, paymentMethodId: string): object {
  const paymentMethod = { paymentMethodType: "CONNECT_WALLET", paymentMethodId };
  return tillRequest(world.newName("pay"), "PaymentCode", { paymentMethod });
}
