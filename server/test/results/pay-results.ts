import type { ResultCode } from "../../src/core/result.ts";
import { newMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, tillRequest } from "../start/test-stack.ts";
import { advance, control, type ResultWorld } from "./world.ts";

/** Makes an operation give a code, by signed requests and by what the buyer or the wallet does; says what came. */
export type Produce = (world: ResultWorld) => Promise<string>;
export type Produced = Readonly<Partial<Record<ResultCode, Produce>>>;

const path = "payments/pay";

/** What a wallet says no for comes to the merchant as it is. */
const declines: readonly ResultCode[] = [
  "AUTHENTICATION_REQUIRED",
  "BUSINESS_NOT_SUPPORT",
  "CARD_NOT_SUPPORTED",
  "DO_NOT_HONOR",
  "FRAUD_REJECT",
  "INVALID_AMOUNT",
  "INVALID_CARD",
  "INVALID_CARD_NUMBER",
  "INVALID_CONTRACT",
  "INVALID_EXPIRATION_DATE",
  "INVALID_EXPIRY_DATE_FORMAT",
  "INVALID_MERCHANT_STATUS",
  "INVALID_PAYMENT_CODE",
  "INVALID_PAYMENT_METHOD_META_DATA",
  "ISSUER_REJECTS_TRANSACTION",
  "MERCHANT_KYB_NOT_QUALIFIED",
  "PAYMENT_AMOUNT_EXCEED_LIMIT",
  "PAYMENT_COUNT_EXCEED_LIMIT",
  "PAYMENT_NOT_QUALIFIED",
  "PAYMENT_PROHIBITED",
  "PROCESS_FAIL",
  "RISK_REJECT",
  "SELECTED_CARD_BRAND_NOT_AVAILABLE",
  "SETTLE_CONTRACT_NOT_MATCH",
  "SUSPECTED_CARD",
  "SUSPECTED_RISK",
  "USER_AMOUNT_EXCEED_LIMIT",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_KYC_NOT_QUALIFIED",
  "USER_NOT_EXIST",
  "USER_PAYMENT_VERIFICATION_FAILED",
  "USER_STATUS_ABNORMAL",
  "VERIFY_TIMES_EXCEED_LIMIT",
  "VERIFY_UNMATCHED",
];

export const payResults: Produced = {
  ...Object.fromEntries(declines.map((code) => [code, (world: ResultWorld) => declinedFor(world, code)])),
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
    const paymentMethodId = await world.wallet.paymentCode({ lifetimeSeconds: 0 });
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

/** What is answered once it is known that a wallet does not answer. */
export async function whileSilent(
  { silentWallet, newName, ask }: ResultWorld,
  produce: () => Promise<string>,
) {
  silentWallet.fallSilent();
  try {
    await eventually(
      30_000,
      () => ask(path, payRequest(newName("unheard"), { paymentMethod: { paymentMethodType: "SILENT" } })),
      ({ json }) => json.result["resultCode"] === "UNAVAILABLE_PAYMENT_METHOD",
    );
    return await produce();
  } finally {
    silentWallet.answerAgain();
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
