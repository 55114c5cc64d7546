import assert from "node:assert/strict";
import type { Random } from "./hash-random.ts";
import type { MerchantSimulation, Story } from "./merchant-year.ts";
import { randomAmount } from "./payment-stories.ts";

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const customerBelongsTo = "GCASH";

/** The state names the merchant, because the buyers of all merchants share one provider. */
function authStateOf({ merchant }: MerchantSimulation, name: string): string {
  return `${merchant.clientId} ${name}`;
}

/** A buyer gives consent, and the merchant gets a token. */
async function authorize(simulation: MerchantSimulation, name: string): Promise<Tokens> {
  const authState = authStateOf(simulation, name);
  const consult = {
    customerBelongsTo,
    authRedirectUrl: "https://shop.example/agreed",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
  };
  assert.equal(await simulation.codeOf("authorizations/consult", consult), "SUCCESS");
  await simulation.provider.authorization(authState, "agree");
  const { json } = await simulation.waitForWebhook(
    (body) => body["authState"] === authState && body["authorizationNotifyType"] === "AUTHCODE_CREATED",
  );
  return apply(simulation, { grantType: "AUTHORIZATION_CODE", authCode: json["authCode"] });
}

async function apply(simulation: MerchantSimulation, grant: object): Promise<Tokens> {
  const request = { customerBelongsTo, ...grant };
  assert.equal(await simulation.codeOf("authorizations/applyToken", request), "SUCCESS");
  const { json } = await simulation.request("authorizations/applyToken", request);
  const { accessToken, refreshToken } = json as unknown as Tokens;
  return { accessToken, refreshToken };
}

async function charge(
  simulation: MerchantSimulation,
  name: string,
  { accessToken }: Tokens,
  random: Random,
): Promise<string> {
  const { currency, minor } = randomAmount(random);
  const paymentAmount = { currency, value: String(minor) };
  const code = await simulation.codeOf("payments/pay", {
    productCode: "AGREEMENT_PAYMENT",
    paymentRequestId: name,
    order: { referenceOrderId: name, orderDescription: "A month of coffee", orderAmount: paymentAmount },
    paymentAmount,
    paymentMethod: { paymentMethodType: customerBelongsTo, paymentMethodId: accessToken },
  });
  if (code === "SUCCESS") simulation.accounting.bookPayment(currency, minor);
  simulation.accounting.addLine(simulation.day(), `${name} charged ${currency} ${minor}: ${code}`);
  return code;
}

export const tokenStories: Readonly<Record<string, Story>> = {
  async *"charged every month"(simulation, name, random) {
    let tokens = await authorize(simulation, name);
    for (let month = 1; month <= 3; month += 1) {
      yield 28;
      assert.equal(await charge(simulation, `${name}-${month}`, tokens, random), "SUCCESS");
      tokens = await apply(simulation, { grantType: "REFRESH_TOKEN", refreshToken: tokens.refreshToken });
    }
    const { accessToken } = tokens;
    assert.equal(await simulation.codeOf("authorizations/revoke", { accessToken }), "SUCCESS");
    assert.equal(await charge(simulation, `${name}-after`, tokens, random), "AUTHORIZATION_NOT_EXIST");
    assert.equal(await simulation.codeOf("authorizations/revoke", { accessToken }), "INVALID_ACCESS_TOKEN");
  },

  async *"token expired"(simulation, name, random) {
    const tokens = await authorize(simulation, name);
    assert.equal(await charge(simulation, `${name}-1`, tokens, random), "SUCCESS");
    yield 31;
    assert.equal(await charge(simulation, `${name}-2`, tokens, random), "EXPIRED_ACCESS_TOKEN");
    const fresh = await apply(simulation, { grantType: "REFRESH_TOKEN", refreshToken: tokens.refreshToken });
    assert.equal(await charge(simulation, `${name}-3`, fresh, random), "SUCCESS");
  },

  async *"token taken back by the buyer"(simulation, name, random) {
    const tokens = await authorize(simulation, name);
    yield 5;
    await simulation.provider.authorization(authStateOf(simulation, name), "cancel");
    await simulation.waitForWebhook(
      (body) =>
        body["authorizationNotifyType"] === "TOKEN_CANCELED" && body["accessToken"] === tokens.accessToken,
    );
    assert.equal(await charge(simulation, `${name}-after`, tokens, random), "AUTHORIZATION_NOT_EXIST");
  },
};
