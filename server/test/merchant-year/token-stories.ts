import assert from "node:assert/strict";
import type { Random } from "./random.ts";
import type { Life, Plot } from "./merchant-year.ts";
import { someMoney } from "./payment-stories.ts";

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const customerBelongsTo = "GCASH";

/** The state names the merchant, because the buyers of all merchants share one provider. */
function stateOf({ merchant }: Life, name: string): string {
  return `${merchant.clientId} ${name}`;
}

/** A buyer gives consent, and the merchant gets a token. */
async function authorize(life: Life, name: string): Promise<Tokens> {
  const authState = stateOf(life, name);
  const consult = {
    customerBelongsTo,
    authRedirectUrl: "https://shop.example/agreed",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
  };
  assert.equal(await life.codeOf("authorizations/consult", consult), "SUCCESS");
  await life.provider.authorization(authState, "agree");
  const { json } = await life.told(
    (body) => body["authState"] === authState && body["authorizationNotifyType"] === "AUTHCODE_CREATED",
  );
  return apply(life, { grantType: "AUTHORIZATION_CODE", authCode: json["authCode"] });
}

async function apply(life: Life, given: object): Promise<Tokens> {
  const request = { customerBelongsTo, ...given };
  assert.equal(await life.codeOf("authorizations/applyToken", request), "SUCCESS");
  const { json } = await life.ask("authorizations/applyToken", request);
  const { accessToken, refreshToken } = json as unknown as Tokens;
  return { accessToken, refreshToken };
}

async function charge(life: Life, name: string, { accessToken }: Tokens, random: Random): Promise<string> {
  const { currency, minor } = someMoney(random);
  const paymentAmount = { currency, value: String(minor) };
  const code = await life.codeOf("payments/pay", {
    productCode: "AGREEMENT_PAYMENT",
    paymentRequestId: name,
    order: { referenceOrderId: name, orderDescription: "A month of coffee", orderAmount: paymentAmount },
    paymentAmount,
    paymentMethod: { paymentMethodType: customerBelongsTo, paymentMethodId: accessToken },
  });
  if (code === "SUCCESS") life.book.took(currency, minor);
  life.book.line(life.day(), `${name} charged ${currency} ${minor}: ${code}`);
  return code;
}

export const tokenPlots: Readonly<Record<string, Plot>> = {
  async *"charged every month"(life, name, random) {
    let tokens = await authorize(life, name);
    for (let month = 1; month <= 3; month += 1) {
      yield 28;
      assert.equal(await charge(life, `${name}-${month}`, tokens, random), "SUCCESS");
      tokens = await apply(life, { grantType: "REFRESH_TOKEN", refreshToken: tokens.refreshToken });
    }
    const { accessToken } = tokens;
    assert.equal(await life.codeOf("authorizations/revoke", { accessToken }), "SUCCESS");
    assert.equal(await charge(life, `${name}-after`, tokens, random), "AUTHORIZATION_NOT_EXIST");
    assert.equal(await life.codeOf("authorizations/revoke", { accessToken }), "INVALID_ACCESS_TOKEN");
  },

  async *"token expired"(life, name, random) {
    const tokens = await authorize(life, name);
    assert.equal(await charge(life, `${name}-1`, tokens, random), "SUCCESS");
    yield 31;
    assert.equal(await charge(life, `${name}-2`, tokens, random), "EXPIRED_ACCESS_TOKEN");
    const fresh = await apply(life, { grantType: "REFRESH_TOKEN", refreshToken: tokens.refreshToken });
    assert.equal(await charge(life, `${name}-3`, fresh, random), "SUCCESS");
  },

  async *"token taken back by the buyer"(life, name, random) {
    const tokens = await authorize(life, name);
    yield 5;
    await life.provider.authorization(stateOf(life, name), "cancel");
    await life.told(
      (body) =>
        body["authorizationNotifyType"] === "TOKEN_CANCELED" && body["accessToken"] === tokens.accessToken,
    );
    assert.equal(await charge(life, `${name}-after`, tokens, random), "AUTHORIZATION_NOT_EXIST");
  },
};
