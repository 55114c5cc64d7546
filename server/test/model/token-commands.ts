import assert from "node:assert/strict";
import fc from "fast-check";
import { consultRequest } from "../shop/test-authorization.ts";
import { command, seldom, someAmount } from "./command.ts";
import { untilFinal, type Model, type Real } from "./run-context.ts";
import { newPayment, type PayContent } from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { sendPay } from "./send-pay.ts";
import { untilSubmitted } from "./submitted.ts";
import {
  applyCodeOf,
  codesIn,
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
import { afterDeed } from "./expected-effects.ts";
import type { Answer } from "./world.ts";

const someTerms = fc.constantFrom({}, {}, {}, { asks: true }, { declines: "USER_BALANCE_NOT_ENOUGH" });

/**
 * A buyer is asked for consent, and agrees or refuses. After consent the buyer brings a code back, and most merchants
 * exchange it for a token.
 */
export const links = fc
  .tuple(
    someTerms,
    fc.constantFrom("agree", "agree", "agree", "decline"),
    someCallFault,
    seldom(fc.constant("later")),
  )
  .map(([terms, says, fault, applies]) =>
    command(`link ${says}${applies ? ", token later" : ""}`, fault, {
      async run(model, real) {
        const { world, merchant } = real;
        const authState = real.newRequestId();
        const request = consultRequest(world.shop, authState, { authNotifyUrl: undefined });
        if (fault) await world.provider.fault({ kind: fault, match: { verb: "authorize" }, delayMs: 200 });
        const consult = (): Promise<Answer> => world.call(merchant, "authorizations/consult", request);
        const asked = await untilFinal(real, consult);
        assert.equal(asked.code, "SUCCESS");
        assert.equal((await consult()).json["normalUrl"], asked.json["normalUrl"]);
        if (says === "decline") {
          await world.provider.authorization(authState, "decline");
          const { code } = await untilFinal(real, consult, (each) => each.code !== "SUCCESS");
          return assert.equal(code, "AUTH_CANCELLED");
        }
        const { authCode } = await world.provider.authorization(authState, "agree", terms);
        const agreement: ModelAgreement = {
          authState,
          terms,
          authCode,
          isCanceled: false,
          may: new Set(["ACTIVE"] as const),
          pairs: [],
        };
        model.agreements.push(agreement);
        if (!applies) await apply(real, agreement);
      },
    }),
  );

/** Exchanges a code for its token, for the first time or again. */
export const applies = fc.tuple(fc.nat({ max: 3 }), someCallFault).map(([nth, fault]) =>
  command(`apply with code ${nth}`, fault, {
    check: ({ agreements }) => agreements.length > 0,
    async run(model, real) {
      const agreement = agreementAt(model, nth);
      if (fault && agreement.pairs.length === 0)
        await real.world.provider.fault({ kind: fault, match: { verb: "exchange-code" }, delayMs: 200 });
      await apply(real, agreement);
    },
  }),
);

async function apply(real: Real, agreement: ModelAgreement): Promise<void> {
  const { authCode, pairs, isCanceled } = agreement;
  const [first] = pairs;
  const given = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  const answer = await untilFinal(real, () =>
    real.world.call(real.merchant, "authorizations/applyToken", given),
  );
  if (!first && !isCanceled) {
    assert.equal(answer.code, "SUCCESS");
    return void pairs.push(newPair(answer.json));
  }
  // A consent that the buyer withdrew before its code was used gives no token.
  hold(agreement, answer.code, (status) => applyCodeOf(first, status, "INVALID_AUTHCODE"));
  if (answer.code === "SUCCESS") assert.equal(answer.json["accessToken"], first?.accessToken);
}

export const refreshes = someToken("refresh", async (real, agreement, pair) => {
  const { refreshToken } = pair;
  const given = { grantType: "REFRESH_TOKEN", customerBelongsTo: "GCASH", refreshToken };
  const { code, json } = await real.world.call(real.merchant, "authorizations/applyToken", given);
  hold(agreement, code, (status) => refreshCodeOf(pair, status));
  if (code !== "SUCCESS") return;
  if (pair.replacedBy) return assert.equal(json["accessToken"], pair.replacedBy.accessToken);
  usePair(agreement, pair);
  pair.replacedBy = newPair(json);
  agreement.pairs.push(pair.replacedBy);
});

export const revokes = someToken("revoke", async (real, agreement, pair) => {
  const { accessToken } = pair;
  const { code } = await real.world.call(real.merchant, "authorizations/revoke", { accessToken });
  hold(agreement, code, (status) => revokeCodeOf(pair, status));
  if (code === "SUCCESS") agreement.may = new Set(["REVOKED"] as const);
});

export const queries = someToken("query", (real, agreement, pair) => query(real, agreement, pair));

export async function query(real: Real, agreement: ModelAgreement, pair: ModelPair): Promise<void> {
  const { accessToken } = pair;
  const { code, json } = await real.world.call(real.merchant, "authorizations/query", { accessToken });
  const said = code === "SUCCESS" ? String(json["tokenStatusType"]) : code;
  hold(agreement, said, (status) => queryCodeOf(pair, status));
}

/** Commands in which the buyer withdraws the consent at the provider. */
export const takesBack = fc.nat({ max: 3 }).map((nth) =>
  command(`takeback of consent ${nth}`, undefined, {
    check: (model) => model.agreements.length > 0 && isLive(agreementAt(model, nth)),
    async run(model, { world }) {
      const agreement = agreementAt(model, nth);
      await world.provider.authorization(agreement.authState, "cancel");
      agreement.isCanceled = true;
      agreement.may = new Set([...agreement.may, "CANCELED"] as const);
    },
  }),
);

function isLive({ may, isCanceled }: ModelAgreement): boolean {
  return !isCanceled && may.has("ACTIVE");
}

/** Commands that pay with a token, without interaction by the buyer, unless the provider demands it. */
export const spends = fc
  .tuple(
    fc.nat({ max: 3 }),
    fc.nat({ max: 2 }),
    someAmount,
    fc.constantFrom(false, false, true),
    someCallFault,
  )
  .map(([nth, back, amountMinor, isManual, fault]) =>
    command(`spend ${amountMinor} with token ${back} of ${nth}`, fault, {
      check: (model) => model.agreements.length > 0 && agreementAt(model, nth).pairs.length > 0,
      async run(model, real) {
        const agreement = agreementAt(model, nth);
        const { accessToken } = pairAt(agreement, back);
        const content: PayContent = { ...usual, paymentMethodId: accessToken, amountMinor, isManual };
        if (fault) await real.world.provider.fault({ kind: fault, match: { verb: "submit" }, delayMs: 200 });
        await spend(model, real, {
          agreement,
          pair: pairAt(agreement, back),
          content,
          isFaulty: fault !== undefined,
        });
      },
    }),
  );

const usual = {
  product: "token",
  currency: "EUR",
  paymentMethodType: "GCASH",
  referenceOrderId: "order-1",
} as const;

interface Spending {
  readonly agreement: ModelAgreement;
  readonly pair: ModelPair;
  readonly content: PayContent;
  readonly isFaulty: boolean;
}

async function spend(
  model: Model,
  real: Real,
  { agreement, pair, content, isFaulty }: Spending,
): Promise<void> {
  const requestId = real.newRequestId();
  const answer = await sendPay(real, requestId, content);
  const { paymentId } = answer.json as { readonly paymentId?: string };
  if (paymentId === undefined) {
    hold(agreement, answer.code, (status) => payCodeOf(pair, status));
    assert.notEqual(answer.code, "SUCCESS");
    const { code } = await real.world.call(real.merchant, "inquiryPayment", { paymentRequestId: requestId });
    return assert.equal(code, "ORDER_NOT_EXIST");
  }
  // The gateway accepted the payment, so the token was valid at the gateway. The provider decides separately.
  hold(agreement, "SUCCESS", (status) => payCodeOf(pair, status));
  usePair(agreement, pair);
  const payment = newPayment({ requestId, paymentId, content }, isFaulty);
  model.payments.push(payment);
  await untilSubmitted(real, payment);
  const { terms, isCanceled } = agreement;
  const refused = isCanceled ? "AUTHORIZATION_NOT_EXIST" : terms.declines;
  const verdict = refused ?? (terms.asks ? "PAYMENT_IN_PROCESS" : "SUCCESS");
  assert.ok(["PAYMENT_IN_PROCESS", verdict].includes(answer.code), `${answer.code}, not ${verdict}`);
  if (verdict === "SUCCESS") afterDeed(payment, "approve");
  if (refused === undefined) return;
  afterDeed(payment, "decline");
  payment.failure = refused;
}

/** An action of the merchant with one of its tokens, mostly the newest. */
function someToken(
  kind: string,
  run: (real: Real, agreement: ModelAgreement, pair: ModelPair) => Promise<void>,
) {
  return fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 2 })).map(([nth, back]) =>
    command(`${kind} token ${back} of ${nth}`, undefined, {
      check: (model) => model.agreements.length > 0 && agreementAt(model, nth).pairs.length > 0,
      run: (model, real) => run(real, agreementAt(model, nth), pairAt(agreementAt(model, nth), back)),
    }),
  );
}

function agreementAt({ agreements }: Readonly<Model>, nth: number): ModelAgreement {
  return agreements.at(-1 - (nth % agreements.length)) ?? assert.fail();
}

function pairAt({ pairs }: ModelAgreement, back: number): ModelPair {
  return pairs.at(-1 - (back % pairs.length)) ?? assert.fail();
}

/** Compares a response with the possible views of a consent, and discards the others. */
function hold(agreement: ModelAgreement, code: string, codeIn: (status: AgreementStatus) => string): void {
  const codes = codesIn(agreement, codeIn);
  const fitting = codes.get(code) ?? assert.fail(`${code}, not ${[...codes.keys()].join(" or ")}`);
  // A consent that the buyer has canceled at the provider stays possibly CANCELED at the gateway, until its end is
  // known.
  agreement.may = new Set(
    agreement.isCanceled && fitting.includes("ACTIVE") ? [...fitting, "CANCELED"] : fitting,
  );
}
