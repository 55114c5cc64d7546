import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { CrashPoint } from "../../src/core/crash-point.ts";
import { addConnector } from "../../src/operators/providers/connector-settings.ts";
import { findGatewayKeys, allPublicKeys } from "../../src/operators/providers/manage-gateway-keys.ts";
import { findFreePort } from "../../src/postgres/temporary-postgres.ts";
import type { TestDatabase } from "./test-database.ts";
import {
  call,
  newMerchant,
  pathOf,
  prepareTestGateway,
  type ReceivedAnswer,
  type TestMerchant,
} from "./test-gateway.ts";
import { waitForLine, startTestProcess, type TestProcess } from "./test-process.ts";

/** All processes that a payment needs: gateway, worker and provider, each separate. */
export interface TestStack extends GatewayProcesses {
  readonly database: TestDatabase;
  readonly merchant: TestMerchant;
  readonly provider: TestProvider;
}

/** The gateway's processes, any number of each kind. */
export interface GatewayProcesses {
  serve(options?: ServeOptions): Promise<ServedGateway>;
  work(variables?: Readonly<Record<string, string>>): Promise<TestProcess>;
  /** `serve-staff`, with the login that has the role tollgate_console. */
  serveStaff(variables: Readonly<Record<string, string>>): Promise<TestProcess>;
  readonly variables: Readonly<Record<string, string>>;
}

export interface ServeOptions {
  /** The crash point at which the process kills itself. */
  readonly crashAt?: CrashPoint;
  /** The crash point at which the process stops until the test resumes it. */
  readonly stopAt?: CrashPoint;
  /** True if providers send their callbacks to this process. */
  readonly isPublic?: boolean;
  readonly variables?: Readonly<Record<string, string>>;
}

export interface ServedGateway {
  readonly url: string;
  readonly process: TestProcess;
}

export interface TestProvider {
  readonly url: string;
  /** The origin of the provider's card page. */
  readonly cardUrl: string;
  readonly publicKeyFile: string;
  readonly folder: string;
  /** A scripted buyer without a browser. */
  control(
    paymentId: string,
    action: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** Creates a payment code in the buyer's app. */
  paymentCode(terms?: object): Promise<string>;
  /**
   * Sets the provider's decision about a registration, by request id or reference. A test may set it before the
   * registration arrives.
   */
  registration(name: string, action: "accept" | "reject" | "hold", body?: object): Promise<void>;
  /** Triggers an event of a dispute. `name` is the provider's dispute id, or a payment id for its newest dispute. */
  dispute(name: string, action: string, body?: object): Promise<number>;
  /**
   * Acts as the buyer of a consent, which `name` identifies by its `authState` or its reference. A buyer who agrees
   * brings a code back.
   */
  authorization(
    name: string,
    action: "agree" | "decline" | "cancel",
    body?: object,
  ): Promise<{ readonly redirectUrl: string; readonly authCode: string }>;
  fault(fault: object): Promise<void>;
  /** Fails a refund that is in progress or done, by its reference. */
  failRefund(reference: string): Promise<{ readonly status: number; readonly text: string }>;
  /** The provider's settlement file, as an operator gets it; optionally with the provider's fees. */
  settlement(feeBasisPoints?: number): Promise<string>;
  /** The provider's journal, line by line. */
  effects(): readonly Readonly<Record<string, unknown>>[];
}

export async function startTestStack(options: TestProviderOptions = {}): Promise<TestStack> {
  const { database, variables } = await prepareTestGateway("sandbox");
  const merchant = await newMerchant(database);
  const provider = await connectTestProvider(database, options);
  return { database, merchant, provider, ...(await gatewayProcesses(database, variables)) };
}

export async function gatewayProcesses(
  database: TestDatabase,
  variables: Readonly<Record<string, string>>,
): Promise<GatewayProcesses> {
  const publicPort = await findFreePort();
  const settings = {
    ...variables,
    TOLLGATE_DATABASE_CONNECTIONS_MAX: "16",
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${publicPort}`,
    TOLLGATE_LOG_LEVEL: "warn",
  };
  return {
    variables: settings,
    async serve({ crashAt, stopAt, isPublic = false, variables: more = {} } = {}) {
      const port = String(isPublic ? publicPort : await findFreePort());
      const program = crashAt || stopAt ? "server/test/crash/crashing-main.ts" : "server/src/main.ts";
      const processVariables = { TOLLGATE_PORT: port, CRASH_AT: crashAt ?? "", STOP_AT: stopAt ?? "" };
      const process = startTestProcess([program, "serve"], { ...settings, ...processVariables, ...more });
      await waitForLine(process, /^Tollgate serves/);
      return { url: `http://127.0.0.1:${port}`, process };
    },
    async work(more = {}) {
      const processVariables = { TOLLGATE_DATABASE_URL: database.workUrl };
      const process = startTestProcess(["server/src/main.ts", "work"], {
        ...settings,
        ...processVariables,
        ...more,
      });
      await waitForLine(process, /^Tollgate works/);
      return process;
    },
    async serveStaff(more) {
      const processVariables = { TOLLGATE_STAFF_DATABASE_URL: database.staffUrl };
      const process = startTestProcess(["server/src/main.ts", "serve-staff"], {
        ...settings,
        ...processVariables,
        ...more,
      });
      await waitForLine(process, /^Tollgate serves sandbox to staff/);
      return process;
    },
  };
}

/**
 * `connectTestProvider` starts a provider for all payments of this sandbox. A running gateway process needs some
 * seconds to load the new connector.
 */
export async function connectTestProvider(
  database: TestDatabase,
  options: TestProviderOptions = {},
): Promise<TestProvider> {
  const provider = await startTestWallet(database, options);
  await addConnector(database.ownerUrl, "sandbox", {
    name: "test-provider",
    url: provider.url,
    partnerId: "tollgate",
    publicKeyFile: provider.publicKeyFile,
    paymentMethodTypes: ["*"],
    simulator: true,
  });
  return provider;
}

export interface TestProviderOptions {
  /** The signature algorithm between provider and gateway. */
  readonly algorithm?: "Ed25519" | "RSA256";
  /** Additional command line arguments. */
  readonly words?: readonly string[];
}

async function startTestWallet(
  { ownerUrl: url, environment }: TestDatabase,
  { algorithm = "Ed25519", words: more = [] }: TestProviderOptions,
): Promise<TestProvider> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-provider-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const gatewayKeyFile = join(folder, "gateway.pem");
  writeFileSync(gatewayKeyFile, allPublicKeys(await findGatewayKeys({ url, environment })));
  const programArguments = ["--port", "0", "--data", join(folder, "data"), "--partner-id", "tollgate"];
  const keys = ["--gateway-public-key", gatewayKeyFile, "--algorithm", algorithm];
  const gaps = ["--callback-gaps-ms", "0,200,500,1000"];
  const started = startTestProcess(
    ["sandbox/src/main.ts", ...programArguments, ...keys, ...gaps, ...more],
    {},
  );
  const ready = JSON.parse(await waitForLine(started, /^\{/)) as Record<string, string>;
  const { walletUrl = "", cardUrl = "", publicKeyFile = "", controlSecret = "" } = ready;
  const post = async (
    path: string,
    body: object,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const response = await fetch(walletUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${controlSecret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    url: walletUrl,
    cardUrl,
    publicKeyFile,
    folder: join(folder, "data"),
    control: (paymentId, action, body = {}) => post(`/control/payments/${paymentId}/${action}`, body),
    async paymentCode(terms = {}) {
      const { status, text } = await post("/control/payment-codes", terms);
      if (status !== 200) throw new Error(text);
      return (JSON.parse(text) as { paymentCode: string }).paymentCode;
    },
    async registration(name, action, body = {}) {
      const { status, text } = await post(
        `/control/registrations/${encodeURIComponent(name)}/${action}`,
        body,
      );
      if (status !== 200) throw new Error(text);
    },
    dispute: async (name, action, body = {}) =>
      (await post(`/control/disputes/${name}/${action}`, body)).status,
    async authorization(name, action, body = {}) {
      const { status, text } = await post(
        `/control/authorizations/${encodeURIComponent(name)}/${action}`,
        body,
      );
      if (status !== 200) throw new Error(text);
      const { redirectUrl = "" } = JSON.parse(text) as { redirectUrl?: string };
      return { redirectUrl, authCode: URL.parse(redirectUrl)?.searchParams.get("authCode") ?? "" };
    },
    async fault(fault) {
      const { status, text } = await post("/control/faults", fault);
      if (status !== 200) throw new Error(text);
    },
    failRefund: (reference) => post(`/control/refunds/${reference}/fail`, {}),
    async settlement(feeBasisPoints = 0) {
      const headers = { authorization: `Bearer ${controlSecret}` };
      const path = `/control/settlement.csv?feeBasisPoints=${feeBasisPoints}`;
      return (await fetch(walletUrl + path, { headers })).text();
    },
    effects: () => readEffects(join(folder, "data", "effects.jsonl")),
  };
}

/** Reads the provider's journal, one JSON object per line. */
function readEffects(file: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A complete `pay` request. */
export function payRequest(paymentRequestId: string, more: object = {}): object {
  const amount = { currency: "EUR", value: "1250" };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
    ...more,
  };
}

/** A complete in-store `pay` request, except for the payment code. */
export function inStorePayRequest(
  paymentRequestId: string,
  scenario: "PaymentCode" | "OrderCode" | "EntryCode",
  more: object = {},
): object {
  const amount = { currency: "EUR", value: "1250" };
  const store = { referenceStoreId: "store-1", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "m-1", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = {
    storeTerminalId: "till-1",
    storeTerminalRequestTime: "2026-11-15T09:30:00+00:00",
    userAgent: "Provider/1.0",
  };
  return {
    productCode: "IN_STORE_PAYMENT",
    paymentRequestId,
    order: {
      referenceOrderId: "order-1",
      orderDescription: "Two coffees",
      orderAmount: amount,
      merchant,
      env,
    },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "CONNECT_WALLET" },
    paymentNotifyUrl: "https://shop.example/notify",
    paymentFactor: { inStorePaymentScenario: scenario },
    settlementStrategy: { settlementCurrency: "EUR" },
    ...more,
  };
}

/** Sends a request to an operation of the payments area, and returns the response. */
export function callPayments(
  url: string,
  merchant: TestMerchant,
  verb: string,
  body: object,
): Promise<ReceivedAnswer> {
  return call(url, merchant, { path: pathOf("sandbox", `payments/${verb}`), body: JSON.stringify(body) });
}
