import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest } from "../start/test-stack.ts";
import { whileSilent, type Produced } from "./pay-results.ts";
import { advance, type ResultWorld } from "./world.ts";

const customerBelongsTo = "GCASH";
const minutes = (count: number): number => count / (24 * 60);

function consultRequest(authState: string, more: object = {}): object {
  return {
    customerBelongsTo,
    authRedirectUrl: "https://shop.example/agreed",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
    ...more,
  };
}

function consult(
  world: ResultWorld,
  authState: string,
  more: object = {},
  as?: TestMerchant,
): Promise<string> {
  return world.codeOf("authorizations/consult", consultRequest(authState, more), as);
}

/** An authorization code that the buyer brings back. */
async function codeFor(world: ResultWorld, as?: TestMerchant): Promise<string> {
  const authState = world.newName("state");
  await world.finalCodeOf("authorizations/consult", consultRequest(authState), as);
  return (await world.provider.authorization(authState, "agree")).authCode;
}

function applyRequest(authCode: string): object {
  return { grantType: "AUTHORIZATION_CODE", customerBelongsTo, authCode };
}

/** A valid access token. */
async function tokenFor(world: ResultWorld, as?: TestMerchant): Promise<string> {
  const request = applyRequest(await codeFor(world, as));
  await world.finalCodeOf("authorizations/applyToken", request, as);
  const { json } = await world.ask("authorizations/applyToken", request, as);
  return String(json["accessToken"]);
}

export const authorizationResults: Readonly<Record<string, Produced>> = {
  "authorizations/consult": {
    SUCCESS: (world) => consult(world, world.newName("state")),
    REPEAT_REQ_INCONSISTENT: async (world) => {
      const authState = world.newName("state");
      await consult(world, authState);
      return consult(world, authState, { scopes: ["USER_INFO"] });
    },
    NO_PAY_OPTIONS: (world) => consult(world, world.newName("state"), { customerBelongsTo: "NOBODYS" }),
    PAYMENT_METHOD_NOT_SUPPORTED: (world) =>
      consult(world, world.newName("state"), { customerBelongsTo: "PLAIN" }),
    UNAVAILABLE_PAYMENT_METHOD: (world) =>
      whileSilent(world, () => consult(world, world.newName("state"), { customerBelongsTo: "SILENT" })),
    AUTH_CANCELLED: async (world) => {
      const authState = world.newName("state");
      await consult(world, authState);
      await world.provider.authorization(authState, "decline");
      return eventually(
        10_000,
        () => consult(world, authState),
        (code) => code !== "SUCCESS",
      );
    },
    AUTH_EXPIRED: async (world) => {
      const merchant = await newMerchant(world.database, "Unanswered Lab");
      const authState = world.newName("state");
      await consult(world, authState, {}, merchant);
      await advance(world, merchant, minutes(60));
      return consult(world, authState, {}, merchant);
    },
  },

  "authorizations/applyToken": {
    SUCCESS: async (world) =>
      world.finalCodeOf("authorizations/applyToken", applyRequest(await codeFor(world))),
    AUTH_IN_PROCESS: async (world) => {
      const authCode = await codeFor(world);
      await world.provider.fault({ kind: "answer-lost", count: 6, match: { verb: "exchange-code" } });
      return world.codeOf("authorizations/applyToken", applyRequest(authCode));
    },
    NO_PAY_OPTIONS: (world) =>
      world.codeOf("authorizations/applyToken", { ...applyRequest("x"), customerBelongsTo: "NOBODYS" }),
    INVALID_AUTHCODE: (world) => world.codeOf("authorizations/applyToken", applyRequest("no-such-code")),
    AUTH_CODE_EXPIRED: async (world) => {
      const merchant = await newMerchant(world.database, "Slow Lab");
      const authCode = await codeFor(world, merchant);
      await world.untilAgreed(merchant);
      await advance(world, merchant, minutes(12));
      return world.finalCodeOf("authorizations/applyToken", applyRequest(authCode), merchant);
    },
    INVALID_REFRESH_TOKEN: (world) =>
      world.codeOf("authorizations/applyToken", {
        grantType: "REFRESH_TOKEN",
        customerBelongsTo,
        refreshToken: "no-such-token",
      }),
  },

  "authorizations/query": {
    SUCCESS: async (world) => world.codeOf("authorizations/query", { accessToken: await tokenFor(world) }),
    INVALID_ACCESS_TOKEN: (world) => world.codeOf("authorizations/query", { accessToken: "no-such-token" }),
  },

  "authorizations/revoke": {
    SUCCESS: async (world) =>
      world.finalCodeOf("authorizations/revoke", { accessToken: await tokenFor(world) }),
    INVALID_ACCESS_TOKEN: (world) => world.codeOf("authorizations/revoke", { accessToken: "no-such-token" }),
  },
};

function charge(world: ResultWorld, accessToken: string, as?: TestMerchant): Promise<string> {
  const request = payRequest(world.newName("charge"), {
    productCode: "AGREEMENT_PAYMENT",
    paymentMethod: { paymentMethodType: customerBelongsTo, paymentMethodId: accessToken },
  });
  return world.finalCodeOf("payments/pay", request, as);
}

/** Results that only payments with a token have. */
export const tokenPaymentResults: Produced = {
  INVALID_ACCESS_TOKEN: (world) => charge(world, "no-such-token"),
  EXPIRED_ACCESS_TOKEN: async (world) => {
    const merchant = await newMerchant(world.database, "Forgetful Lab");
    const accessToken = await tokenFor(world, merchant);
    await advance(world, merchant, 31);
    return charge(world, accessToken, merchant);
  },
  AUTHORIZATION_NOT_EXIST: async (world) => {
    const accessToken = await tokenFor(world);
    await world.finalCodeOf("authorizations/revoke", { accessToken });
    return charge(world, accessToken);
  },
};
