import assert from "node:assert/strict";
import { addConnector } from "../../src/operators/providers/connector-settings.ts";
import type { ConnectorTerms } from "../../src/providers/connector.ts";
import { asSuperuser } from "../start/test-database.ts";
import { startPlainProvider } from "../start/test-agreement-provider.ts";
import { startSilentProxy, type SilentProxy } from "../start/silent-proxy.ts";
import {
  call,
  newMerchant,
  pathOf,
  startTestGateway,
  type ReceivedAnswer,
  type TestMerchant,
} from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, startTestStack, type TestStack } from "../start/test-stack.ts";

/** A gateway with its provider, in which every result can be produced. */
export interface ResultEnvironment extends TestStack {
  readonly url: string;
  /** A live gateway of the same program. */
  readonly live: { readonly url: string; readonly merchant: TestMerchant };
  /** A proxy between the gateway and the provider of the method SILENT. */
  readonly silentProvider: SilentProxy;
  /** Sends a request as the merchant, or as another one. */
  request(path: string, body: object, as?: TestMerchant): Promise<ReceivedAnswer>;
  /** Sends a request, and retries as long as the result code is retryable. Returns the last result code. */
  codeOf(path: string, body: object, as?: TestMerchant): Promise<string>;
  /** Sends a request, and retries until the result status is no longer `U`. Returns the last result code. */
  finalCodeOf(path: string, body: object, as?: TestMerchant): Promise<string>;
  /** A new unique name. */
  newName(what: string): string;
  /** Waits until the gateway knows that the buyer agreed to the merchant's last consent request. */
  untilAgreed(as: TestMerchant): Promise<void>;
  untilRegistered(registrationRequestId: string): Promise<void>;
  /** Creates a payment and brings it to this state. */
  payment(state: PaymentState, more?: object, as?: TestMerchant): Promise<string>;
}

export type PaymentState = "open" | "paid" | "held" | "declined" | "cancelled";

/** Payment methods whose providers support different actions. */
const methods: Readonly<Record<string, Partial<ConnectorTerms>>> = {
  REFUNDS_FULL: { refunds: "FULL" },
  REFUNDS_ONCE: { refunds: "ONCE" },
  REFUNDS_NONE: { refunds: "NONE" },
  REFUNDS_SOON: { refundWindowDays: 30 },
  CAPTURES_ONE: { captures: "ONE" },
  CAPTURES_NONE: { captures: "NONE" },
  CANCELS_NEVER: { cancelPaid: "NEVER" },
  EURO_ONLY: { currencies: ["EUR"] },
  STORES_REGISTERED: { demandsRegistration: true },
};

export async function startResultEnvironment(): Promise<ResultEnvironment> {
  const stack = await startTestStack();
  const { database, merchant, provider } = stack;
  const { url: walletUrl } = provider;
  const connect = (
    name: string,
    url: string,
    terms: Partial<ConnectorTerms>,
    publicKeyFile = provider.publicKeyFile,
  ): Promise<void> =>
    addConnector(database.ownerUrl, "sandbox", {
      name: name.toLowerCase().replace("_", "-"),
      url,
      publicKeyFile,
      partnerId: "tollgate",
      paymentMethodTypes: [name],
      simulator: true,
      terms,
    });
  for (const [name, terms] of Object.entries(methods)) await connect(name, walletUrl, terms);
  // The default provider serves named methods only, so that there is a method without a connector.
  await asSuperuser(
    "update connectors set payment_method_types = '{GCASH,CONNECT_WALLET}' where name = 'test-provider'",
    [],
    database.superuserUrl,
  );
  const plain = await startPlainProvider();
  await connect("PLAIN", plain.url, {}, plain.publicKeyFile);
  const silentProvider = await startSilentProxy(walletUrl);
  await connect("SILENT", silentProvider.url, {});
  const live = await startTestGateway("live");
  const { url } = await stack.serve({ isPublic: true });
  await stack.work();

  let nameCount = 0;
  const newName = (what: string): string => `${what}-${(nameCount += 1)}`;
  const ask = (path: string, body: object, as = merchant): Promise<ReceivedAnswer> =>
    call(url, as, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
  const codeIn = ({ json }: ReceivedAnswer): string => String(json.result["resultCode"]);
  const environment: ResultEnvironment = {
    ...stack,
    url,
    live: { url: live.url, merchant: await newMerchant(live.database, "Real Lab") },
    silentProvider,
    request: ask,
    newName,
    codeOf: async (path, body, as) => codeIn(await ask(path, body, as)),
    async finalCodeOf(path, body, as) {
      const isFinal = ({ json }: ReceivedAnswer): boolean => json.result["resultStatus"] !== "U";
      return codeIn(await eventually(15_000, () => ask(path, body, as), isFinal));
    },
    async untilAgreed({ clientId }) {
      const text = "select 1 as one from authorizations where client_id = $1 and status = 'AGREED'";
      await eventually(
        10_000,
        () => asSuperuser(text, [clientId], database.superuserUrl),
        (rows) => rows.length > 0,
      );
    },
    async untilRegistered(registrationRequestId) {
      const { json } = await eventually(
        20_000,
        () => ask("merchants/inquiryRegistrationStatus", { registrationRequestId }),
        ({ json: found }) => JSON.stringify(found["registrationResult"]).includes("COMPLETED"),
      );
      assert.equal(json.result["resultCode"], "SUCCESS");
    },
    payment: (state, more, as) => createPaymentInState(environment, state, more, as),
  };
  return environment;
}

async function createPaymentInState(
  environment: ResultEnvironment,
  state: PaymentState,
  more: object = {},
  as: TestMerchant = environment.merchant,
): Promise<string> {
  const held = state === "held" && { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const request = payRequest(environment.newName("payment"), { ...held, ...more });
  const { json } = await environment.request("payments/pay", request, as);
  const paymentId = String(json["paymentId"]);
  const expectedStatus = {
    open: "PROCESSING",
    paid: "SUCCESS",
    held: "SUCCESS",
    declined: "FAIL",
    cancelled: "CANCELLED",
  }[state];
  if (state === "paid" || state === "held") await controlPayment(environment, paymentId, "approve");
  if (state === "declined") await controlPayment(environment, paymentId, "decline");
  if (state === "cancelled") await environment.finalCodeOf("payments/cancel", { paymentId }, as);
  await eventually(
    15_000,
    () => environment.request("payments/inquiryPayment", { paymentId }, as),
    ({ json: found }) => found["paymentStatus"] === expectedStatus,
  );
  return paymentId;
}

export async function controlPayment(
  { provider }: ResultEnvironment,
  paymentId: string,
  what: string,
  body = {},
): Promise<void> {
  const { status, text } = await provider.control(paymentId, what, body);
  assert.equal(status, 200, text);
}

/** Advances the test clock of this merchant only. */
export async function advanceClock(
  environment: ResultEnvironment,
  merchant: TestMerchant,
  days: number,
): Promise<void> {
  const advanceRequest = { turnRequestId: environment.newName("turn"), bySeconds: days * 24 * 3600 };
  assert.equal(await environment.finalCodeOf("tollgate/advanceClock", advanceRequest, merchant), "SUCCESS");
}

/** Runs an operator's change in the database, which processes read soon after. */
export function executeAsSuperuser({ database }: ResultEnvironment, statement: string): Promise<unknown> {
  return asSuperuser(statement, [], database.superuserUrl);
}
