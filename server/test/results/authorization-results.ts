import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest } from "../start/test-stack.ts";
import { whileSilent, type ResultProducers } from "./pay-results.ts";
import { advanceClock, type ResultEnvironment } from "./result-environment.ts";

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
  environment: ResultEnvironment,
  authState: string,
  more: object = {},
  as?: TestMerchant,
): Promise<string> {
  return environment.codeOf("authorizations/consult", consultRequest(authState, more), as);
}

/** An authorization code that the buyer brings back. */
async function obtainAuthCode(environment: ResultEnvironment, as?: TestMerchant): Promise<string> {
  const authState = environment.newName("state");
  await environment.finalCodeOf("authorizations/consult", consultRequest(authState), as);
  return (await environment.provider.authorization(authState, "agree")).authCode;
}

function applyRequest(authCode: string): object {
  return { grantType: "AUTHORIZATION_CODE", customerBelongsTo, authCode };
}

/** A valid access token. */
async function obtainToken(environment: ResultEnvironment, as?: TestMerchant): Promise<string> {
  const request = applyRequest(await obtainAuthCode(environment, as));
  await environment.finalCodeOf("authorizations/applyToken", request, as);
  const { json } = await environment.request("authorizations/applyToken", request, as);
  return String(json["accessToken"]);
}

export const authorizationResults: Readonly<Record<string, ResultProducers>> = {
  "authorizations/consult": {
    SUCCESS: (environment) => consult(environment, environment.newName("state")),
    REPEAT_REQ_INCONSISTENT: async (environment) => {
      const authState = environment.newName("state");
      await consult(environment, authState);
      return consult(environment, authState, { scopes: ["USER_INFO"] });
    },
    NO_PAY_OPTIONS: (environment) =>
      consult(environment, environment.newName("state"), { customerBelongsTo: "NOBODYS" }),
    PAYMENT_METHOD_NOT_SUPPORTED: (environment) =>
      consult(environment, environment.newName("state"), { customerBelongsTo: "PLAIN" }),
    UNAVAILABLE_PAYMENT_METHOD: (environment) =>
      whileSilent(environment, () =>
        consult(environment, environment.newName("state"), { customerBelongsTo: "SILENT" }),
      ),
    AUTH_CANCELLED: async (environment) => {
      const authState = environment.newName("state");
      await consult(environment, authState);
      await environment.provider.authorization(authState, "decline");
      return eventually(
        10_000,
        () => consult(environment, authState),
        (code) => code !== "SUCCESS",
      );
    },
    AUTH_EXPIRED: async (environment) => {
      const merchant = await newMerchant(environment.database, "Unanswered Lab");
      const authState = environment.newName("state");
      await consult(environment, authState, {}, merchant);
      await advanceClock(environment, merchant, minutes(60));
      return consult(environment, authState, {}, merchant);
    },
  },

  "authorizations/applyToken": {
    SUCCESS: async (environment) =>
      environment.finalCodeOf("authorizations/applyToken", applyRequest(await obtainAuthCode(environment))),
    AUTH_IN_PROCESS: async (environment) => {
      const authCode = await obtainAuthCode(environment);
      await environment.provider.fault({ kind: "answer-lost", count: 6, match: { verb: "exchange-code" } });
      return environment.codeOf("authorizations/applyToken", applyRequest(authCode));
    },
    NO_PAY_OPTIONS: (environment) =>
      environment.codeOf("authorizations/applyToken", { ...applyRequest("x"), customerBelongsTo: "NOBODYS" }),
    INVALID_AUTHCODE: (environment) =>
      environment.codeOf("authorizations/applyToken", applyRequest("no-such-code")),
    AUTH_CODE_EXPIRED: async (environment) => {
      const merchant = await newMerchant(environment.database, "Slow Lab");
      const authCode = await obtainAuthCode(environment, merchant);
      await environment.untilAgreed(merchant);
      await advanceClock(environment, merchant, minutes(12));
      return environment.finalCodeOf("authorizations/applyToken", applyRequest(authCode), merchant);
    },
    INVALID_REFRESH_TOKEN: (environment) =>
      environment.codeOf("authorizations/applyToken", {
        grantType: "REFRESH_TOKEN",
        customerBelongsTo,
        refreshToken: "no-such-token",
      }),
  },

  "authorizations/query": {
    SUCCESS: async (environment) =>
      environment.codeOf("authorizations/query", { accessToken: await obtainToken(environment) }),
    INVALID_ACCESS_TOKEN: (environment) =>
      environment.codeOf("authorizations/query", { accessToken: "no-such-token" }),
  },

  "authorizations/revoke": {
    SUCCESS: async (environment) =>
      environment.finalCodeOf("authorizations/revoke", { accessToken: await obtainToken(environment) }),
    INVALID_ACCESS_TOKEN: (environment) =>
      environment.codeOf("authorizations/revoke", { accessToken: "no-such-token" }),
  },
};

function charge(environment: ResultEnvironment, accessToken: string, as?: TestMerchant): Promise<string> {
  const request = payRequest(environment.newName("charge"), {
    productCode: "AGREEMENT_PAYMENT",
    paymentMethod: { paymentMethodType: customerBelongsTo, paymentMethodId: accessToken },
  });
  return environment.finalCodeOf("payments/pay", request, as);
}

/** Results that only payments with a token have. */
export const tokenPaymentResults: ResultProducers = {
  INVALID_ACCESS_TOKEN: (environment) => charge(environment, "no-such-token"),
  EXPIRED_ACCESS_TOKEN: async (environment) => {
    const merchant = await newMerchant(environment.database, "Forgetful Lab");
    const accessToken = await obtainToken(environment, merchant);
    await advanceClock(environment, merchant, 31);
    return charge(environment, accessToken, merchant);
  },
  AUTHORIZATION_NOT_EXIST: async (environment) => {
    const accessToken = await obtainToken(environment);
    await environment.finalCodeOf("authorizations/revoke", { accessToken });
    return charge(environment, accessToken);
  },
};
