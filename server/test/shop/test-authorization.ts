import assert from "node:assert/strict";
import { addConnector } from "../../src/operators/providers/connector-settings.ts";
import { call, newMerchant, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually, waitForLine, startTestProcess, type TestProcess } from "../start/test-process.ts";
import { startTestShop, type TestShop } from "../start/test-shop.ts";
import { payRequest, startTestStack, type TestStack } from "../start/test-stack.ts";

/** A sandbox merchant that uses consents and tokens. */
export interface ConsentClient {
  readonly merchant: TestMerchant;
  request(path: string, request: object): Promise<ReceivedAnswer>;
  codeOf(path: string, request: object): Promise<string>;
  consult(authState: string, more?: object): Promise<ReceivedAnswer>;
  /** Gets a buyer's consent, from the consent request to the code that the buyer brings back. */
  obtainAuthCode(authState: string, more?: object, buyer?: object): Promise<string>;
  apply(authCode: string, more?: object): Promise<ReceivedAnswer>;
  refresh(refreshToken: string, more?: object): Promise<ReceivedAnswer>;
  /** Gets a buyer's consent, from the consent request to the tokens. */
  obtainTokens(authState: string, more?: object, buyer?: object): Promise<TestTokens>;
  pay(paymentRequestId: string, accessToken: string, more?: object): Promise<ReceivedAnswer>;
  advance(bySeconds: number): Promise<void>;
}

export interface TestTokens {
  readonly authCode: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface AuthorizationStack extends TestStack {
  readonly shop: TestShop;
  readonly first: ConsentClient;
  newConsentClient(): Promise<ConsentClient>;
  /** Log output of gateway and worker at the most verbose level. */
  processOutput(): string;
  /** Every code and token that was ever issued to a merchant. */
  readonly secrets: Set<string>;
}

/** Starts the processes. The provider serves only GCASH and DANA, so that other methods have no connector. */
export async function startAuthorizationStack(
  prepare?: (stack: TestStack) => Promise<void>,
): Promise<AuthorizationStack> {
  const stack = await startTestStack();
  const { database, provider, variables } = stack;
  await addConnector(database.ownerUrl, "sandbox", {
    name: "test-provider",
    url: provider.url,
    partnerId: "tollgate",
    publicKeyFile: provider.publicKeyFile,
    paymentMethodTypes: ["GCASH", "DANA"],
    simulator: true,
  });
  await prepare?.(stack);
  const shop = await startTestShop();
  const processes = await startWithVerboseLogs(stack);
  const all = newConsentClients(stack, shop, variables["TOLLGATE_PUBLIC_URL"] ?? "");
  // A process that has just started is slow, and rejects requests (load shedding).
  await eventually(
    10_000,
    () => all.first.codeOf("authorizations/query", { accessToken: "none" }),
    (code) => code === "INVALID_ACCESS_TOKEN",
  );
  return { ...stack, ...processes, ...all, shop };
}

/** Gateway and worker with the most verbose logs. */
async function startWithVerboseLogs({
  database,
  variables,
}: TestStack): Promise<Pick<AuthorizationStack, "processOutput">> {
  const port = new URL(variables["TOLLGATE_PUBLIC_URL"] ?? "").port;
  const verboseVariables = { ...variables, TOLLGATE_LOG_LEVEL: "trace" };
  const serving = startTestProcess(["server/src/main.ts", "serve"], {
    ...verboseVariables,
    TOLLGATE_PORT: port,
  });
  const working = startTestProcess(["server/src/main.ts", "work"], {
    ...verboseVariables,
    TOLLGATE_DATABASE_URL: database.workUrl,
  });
  const outputs = [serving, working].map(collectOutput);
  await Promise.all([waitForLine(serving, /Tollgate serves/), waitForLine(working, /Tollgate works/)]);
  return { processOutput: () => outputs.map((each) => each()).join("\n") };
}

function collectOutput({ child, stderr }: TestProcess): () => string {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  return () => text + stderr();
}

function newConsentClients(
  { merchant, database, provider }: TestStack,
  shop: TestShop,
  url: string,
): Pick<AuthorizationStack, "first" | "newConsentClient" | "secrets"> {
  const secrets = new Set<string>();
  let advanceCount = 0;
  const newClient = (clientMerchant: TestMerchant): ConsentClient => {
    const ask = (path: string, request: object): Promise<ReceivedAnswer> =>
      call(url, clientMerchant, { path: pathOf("sandbox", path), body: JSON.stringify(request) });
    const applyGrant = async (request: object): Promise<ReceivedAnswer> => {
      const answer = await ask("authorizations/applyToken", { customerBelongsTo: "GCASH", ...request });
      for (const name of ["accessToken", "refreshToken"])
        if (typeof answer.json[name] === "string") secrets.add(answer.json[name]);
      return answer;
    };
    const consult: ConsentClient["consult"] = (authState, more = {}) =>
      ask("authorizations/consult", consultRequest(shop, authState, more));
    const agreed: ConsentClient["obtainAuthCode"] = async (authState, more, buyer) => {
      assertSuccess(await consult(authState, more));
      const { authCode } = await provider.authorization(authState, "agree", buyer);
      secrets.add(authCode);
      return authCode;
    };
    const apply: ConsentClient["apply"] = (authCode, more) =>
      applyGrant({ grantType: "AUTHORIZATION_CODE", authCode, ...more });
    return {
      merchant: clientMerchant,
      request: ask,
      codeOf: async (path, request) => (await ask(path, request)).json.result["resultCode"] ?? "",
      consult,
      obtainAuthCode: agreed,
      apply,
      refresh: (refreshToken, more) => applyGrant({ grantType: "REFRESH_TOKEN", refreshToken, ...more }),
      async obtainTokens(authState, more, buyer) {
        const authCode = await agreed(authState, more, buyer);
        const { json } = assertSuccess(await apply(authCode));
        const { accessToken, refreshToken } = json;
        return { authCode, accessToken: String(accessToken), refreshToken: String(refreshToken) };
      },
      pay: (paymentRequestId, accessToken, more = {}) =>
        ask("payments/pay", tokenPayment(paymentRequestId, accessToken, more)),
      async advance(bySeconds) {
        advanceCount += 1;
        const turnRequestId = `authorization-turn-${advanceCount}`;
        assertSuccess(await ask("tollgate/advanceClock", { turnRequestId, bySeconds }));
      },
    };
  };
  return {
    secrets,
    first: newClient(merchant),
    newConsentClient: async () => newClient(await newMerchant(database)),
  };
}

export function consultRequest(
  { notifyUrl }: Pick<TestShop, "notifyUrl">,
  authState: string,
  more: object = {},
): object {
  return {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/linked?basket=7",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
    authNotifyUrl: notifyUrl,
    ...more,
  };
}

function tokenPayment(paymentRequestId: string, accessToken: string, more: object): object {
  const paymentMethod = { paymentMethodType: "GCASH", paymentMethodId: accessToken };
  const fields = {
    productCode: "AGREEMENT_PAYMENT",
    paymentMethod,
    paymentRedirectUrl: undefined,
    env: undefined,
  };
  return payRequest(paymentRequestId, { ...fields, ...more });
}

export function assertSuccess(answer: ReceivedAnswer): ReceivedAnswer {
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  return answer;
}

export function resultOf({ json }: ReceivedAnswer): string {
  return json.result["resultCode"] ?? "";
}
