import assert from "node:assert/strict";
import fc from "fast-check";
import { consultRequest } from "../shop/test-authorization.ts";
import { newCommand, rarely, arbitraryAmount } from "./model-command.ts";
import { repeatUntilFinal, type Model, type Real } from "./run-context.ts";
import { newPayment, type PayContent } from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { sendPay } from "./send-pay.ts";
import { waitUntilSubmitted } from "./wait-until-submitted.ts";
import {
  applyCodeOf,
  statusesByCode,
  newPair,
  payCodeOf,
  queryCodeOf,
  refreshCodeOf,
  revokeCodeOf,
  usePair,
  type AgreementStatus,
  type ModelAgreement,
  type ModelPair,
} from "./token-model.ts";
import { afterProviderAction } from "./expected-effects.ts";
import type { Answer } from "./real-system.ts";

const someTerms = fc.constantFrom({}, {}, {}, { asks: true }, { declines: "USER_BALANCE_NOT_ENOUGH" });

/**
 * A buyer is asked for consent, and agrees or refuses. After consent the buyer brings a code back, and most merchants
 * exchange it for a token.
 */
export const consentCommands = fc
  .tuple(
    someTerms,
    fc.constantFrom("agree", "agree", "agree", "decline"),
    someCallFault,
    rarely(fc.constant("later")),
  )
  .map(([terms, decision, fault, applies]) =>
    newCommand(`link ${decision}${applies ? ", token later" : ""}`, fault, {
      async run(model, real) {
        const { system, merchant } = real;
        const authState = real.newRequestId();
        const request = consultRequest(system.shop, authState, { authNotifyUrl: undefined });
        if (fault) await system.provider.fault({ kind: fault, match: { verb: "authorize" }, delayMs: 200 });
        const consult = (): Promise<Answer> => system.call(merchant, "authorizations/consult", request);
        const consent = await repeatUntilFinal(real, consult);
        assert.equal(consent.code, "SUCCESS");
        assert.equal((await consult()).json["normalUrl"], consent.json["normalUrl"]);
        if (decision === "decline") {
          await system.provider.authorization(authState, "decline");
          const { code } = await repeatUntilFinal(real, consult, (each) => each.code !== "SUCCESS");
          return assert.equal(code, "AUTH_CANCELLED");
        }
        const { authCode } = await system.provider.authorization(authState, "agree", terms);
        const agreement: ModelAgreement = {
          authState,
          terms,
          authCode,
          isCanceled: false,
          possibleStatuses: new Set(["ACTIVE"] as const),
          pairs: [],
        };
        model.agreements.push(agreement);
        if (!applies) await exchangeCode(real, agreement);
      },
    }),
  );

/** Exchanges a code for its token, for the first time or again. */
export const applyTokenCommands = fc.tuple(fc.nat({ max: 3 }), someCallFault).map(([nth, fault]) =>
  newCommand(`apply with code ${nth}`, fault, {
    check: ({ agreements }) => agreements.length > 0,
    async run(model, real) {
      const agreement = agreementAt(model, nth);
      if (fault && agreement.pairs.length === 0)
        await real.system.provider.fault({ kind: fault, match: { verb: "exchange-code" }, delayMs: 200 });
      await exchangeCode(real, agreement);
    },
  }),
);

async function exchangeCode(real: Real, agreement: ModelAgreement): Promise<void> {
  const { authCode, pairs, isCanceled } = agreement;
  const [first] = pairs;
  const grant = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  const answer = await repeatUntilFinal(real, () =>
    real.system.call(real.merchant, "authorizations/applyToken", grant),
  );
  if (!first && !isCanceled) {
    assert.equal(answer.code, "SUCCESS");
    return void pairs.push(newPair(answer.json));
  }
  // A consent that the buyer withdrew before its code was used gives no token.
  compareStatus(agreement, answer.code, (status) => applyCodeOf(first, status, "INVALID_AUTHCODE"));
  if (answer.code === "SUCCESS") assert.equal(answer.json["accessToken"], first?.accessToken);
}

export const refreshTokenCommands = tokenCommand("refresh", async (real, agreement, pair) => {
  const { refreshToken } = pair;
  const grant = { grantType: "REFRESH_TOKEN", customerBelongsTo: "GCASH", refreshToken };
  const { code, json } = await real.system.call(real.merchant, "authorizations/applyToken", grant);
  compareStatus(agreement, code, (status) => refreshCodeOf(pair, status));
  if (code !== "SUCCESS") return;
  if (pair.replacedBy) return assert.equal(json["accessToken"], pair.replacedBy.accessToken);
  usePair(agreement, pair);
  pair.replacedBy = newPair(json);
  agreement.pairs.push(pair.replacedBy);
});

export const revokeTokenCommands = tokenCommand("revoke", async (real, agreement, pair) => {
  const { accessToken } = pair;
  const { code } = await real.system.call(real.merchant, "authorizations/revoke", { accessToken });
  compareStatus(agreement, code, (status) => revokeCodeOf(pair, status));
  if (code === "SUCCESS") agreement.possibleStatuses = new Set(["REVOKED"] as const);
});

export const queryTokenCommands = tokenCommand("query", (real, agreement, pair) =>
  compareTokenStatus(real, agreement, pair),
);

export async function compareTokenStatus(
  real: Real,
  agreement: ModelAgreement,
  pair: ModelPair,
): Promise<void> {
  const { accessToken } = pair;
  const { code, json } = await real.system.call(real.merchant, "authorizations/query", { accessToken });
  const statusOrCode = code === "SUCCESS" ? String(json["tokenStatusType"]) : code;
  compareStatus(agreement, statusOrCode, (status) => queryCodeOf(pair, status));
}

/** Commands in which the buyer withdraws the consent at the provider. */
export const withdrawConsentCommands = fc.nat({ max: 3 }).map((nth) =>
  newCommand(`takeback of consent ${nth}`, undefined, {
    check: (model) => model.agreements.length > 0 && isLive(agreementAt(model, nth)),
    async run(model, { system }) {
      const agreement = agreementAt(model, nth);
      await system.provider.authorization(agreement.authState, "cancel");
      agreement.isCanceled = true;
      agreement.possibleStatuses = new Set([...agreement.possibleStatuses, "CANCELED"] as const);
    },
  }),
);

function isLive({ possibleStatuses, isCanceled }: ModelAgreement): boolean {
  return !isCanceled && possibleStatuses.has("ACTIVE");
}

/** Commands that pay with a token, without interaction by the buyer, unless the provider demands it. */
export const tokenPaymentCommands = fc
  .tuple(
    fc.nat({ max: 3 }),
    fc.nat({ max: 2 }),
    arbitraryAmount,
    fc.constantFrom(false, false, true),
    someCallFault,
  )
  .map(([nth, stepsBack, amountMinor, isManual, fault]) =>
    newCommand(`spend ${amountMinor} with token ${stepsBack} of ${nth}`, fault, {
      check: (model) => model.agreements.length > 0 && agreementAt(model, nth).pairs.length > 0,
      async run(model, real) {
        const agreement = agreementAt(model, nth);
        const { accessToken } = pairAt(agreement, stepsBack);
        const content: PayContent = { ...tokenContent, paymentMethodId: accessToken, amountMinor, isManual };
        if (fault) await real.system.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
        await payWithToken(model, real, {
          agreement,
          pair: pairAt(agreement, stepsBack),
          content,
          isFaulty: fault !== undefined,
        });
      },
    }),
  );

const tokenContent = {
  product: "token",
  currency: "EUR",
  paymentMethodType: "GCASH",
  referenceOrderId: "order-1",
} as const;

interface TokenPayment {
  readonly agreement: ModelAgreement;
  readonly pair: ModelPair;
  readonly content: PayContent;
  readonly isFaulty: boolean;
}

async function payWithToken(
  model: Model,
  real: Real,
  { agreement, pair, content, isFaulty }: TokenPayment,
): Promise<void> {
  const requestId = real.newRequestId();
  const answer = await sendPay(real, requestId, content);
  const { paymentId } = answer.json as { readonly paymentId?: string };
  if (paymentId === undefined) {
    compareStatus(agreement, answer.code, (status) => payCodeOf(pair, status));
    assert.notEqual(answer.code, "SUCCESS");
    const { code } = await real.system.call(real.merchant, "inquiryPayment", { paymentRequestId: requestId });
    return assert.equal(code, "ORDER_NOT_EXIST");
  }
  // The gateway accepted the payment, so the token was valid at the gateway. The provider decides separately.
  compareStatus(agreement, "SUCCESS", (status) => payCodeOf(pair, status));
  usePair(agreement, pair);
  const payment = newPayment({ requestId, paymentId, content }, isFaulty);
  model.payments.push(payment);
  await waitUntilSubmitted(real, payment);
  const { terms, isCanceled } = agreement;
  const refusal = isCanceled ? "AUTHORIZATION_NOT_EXIST" : terms.declines;
  const verdict = refusal ?? (terms.asks ? "PAYMENT_IN_PROCESS" : "SUCCESS");
  assert.ok(["PAYMENT_IN_PROCESS", verdict].includes(answer.code), `${answer.code}, not ${verdict}`);
  if (verdict === "SUCCESS") afterProviderAction(payment, "approve");
  if (refusal === undefined) return;
  afterProviderAction(payment, "decline");
  payment.failure = refusal;
}

/** An action of the merchant with one of its tokens, mostly the newest. */
function tokenCommand(
  kind: string,
  run: (real: Real, agreement: ModelAgreement, pair: ModelPair) => Promise<void>,
) {
  return fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 2 })).map(([nth, stepsBack]) =>
    newCommand(`${kind} token ${stepsBack} of ${nth}`, undefined, {
      check: (model) => model.agreements.length > 0 && agreementAt(model, nth).pairs.length > 0,
      run: (model, real) => run(real, agreementAt(model, nth), pairAt(agreementAt(model, nth), stepsBack)),
    }),
  );
}

function agreementAt({ agreements }: Readonly<Model>, nth: number): ModelAgreement {
  return agreements.at(-1 - (nth % agreements.length)) ?? assert.fail();
}

function pairAt({ pairs }: ModelAgreement, stepsBack: number): ModelPair {
  return pairs.at(-1 - (stepsBack % pairs.length)) ?? assert.fail();
}

/** Compares a response with the possible views of a consent, and discards the others. */
function compareStatus(
  agreement: ModelAgreement,
  code: string,
  codeIn: (status: AgreementStatus) => string,
): void {
  const codes = statusesByCode(agreement, codeIn);
  const fitting = codes.get(code) ?? assert.fail(`${code}, not ${[...codes.keys()].join(" or ")}`);
  // A consent that the buyer has canceled at the provider stays possibly CANCELED at the gateway, until its end is
  // known.
  agreement.possibleStatuses = new Set(
    agreement.isCanceled && fitting.includes("ACTIVE") ? [...fitting, "CANCELED"] : fitting,
  );
}
