import { isEqual } from "./bytes.ts";
import type { Answer, Call, CallOptions } from "./call.ts";
import {
  callerOf,
  checkedHeaders,
  checkedTimeoutMs,
  logSafely,
  notNegative,
  type Settings,
} from "./caller.ts";
import { systemClock, type Clock } from "./clock.ts";
import { environment, keyFrom } from "./environment.ts";
import { ConfigurationError } from "./errors.ts";
import { feedOf, type Feed } from "./feed.ts";
import { ClientAreas, type PaymentsArea, type TollgateArea } from "./generated/operations.ts";
import { privateKeyOf, type KeyInput, type PrivateKey, type PublicKey } from "./key.ts";
import { environmentLogger, type Logger } from "./log.ts";
import type { Observer } from "./observer.ts";
import { byCodeOf, type ByCode } from "./pay-by-code.ts";
import { clientIdOf, gatewayKeysOf, missing, type GatewayPublicKeys } from "./receiving.ts";
import { fetchTransport, type Fetch, type Transport } from "./transport.ts";
import { waitsOf, type Waits } from "./wait-for-final.ts";
import { version } from "./version.ts";
import { toleranceOf, Webhooks } from "./webhooks.ts";

/** What is left out is read from the environment, where there is one: TOLLGATE_CLIENT_ID and so on. */
export interface TollgateOptions {
  /** TOLLGATE_CLIENT_ID */
  readonly clientId?: string | undefined;
  /** Yours: PEM or bare base64, PKCS#8 or PKCS#1; or a key of WebCrypto. TOLLGATE_PRIVATE_KEY, or a file: …_KEY_FILE */
  readonly privateKey?: KeyInput | undefined;
  /** The gateway's: one, or one for each key version. TOLLGATE_GATEWAY_PUBLIC_KEY, or a file: …_KEY_FILE */
  readonly gatewayPublicKeys?: GatewayPublicKeys | undefined;
  /** Scheme and host, such as `https://gateway.example`. TOLLGATE_BASE_URL */
  readonly baseUrl?: string | undefined;
  /** Of your own key; 1 unless said otherwise. TOLLGATE_KEY_VERSION */
  readonly keyVersion?: number | undefined;
  /** Sandbox by itself if the client id starts with `SANDBOX_`. TOLLGATE_ENVIRONMENT */
  readonly environment?: "sandbox" | "live" | undefined;
  /** For each attempt; 30 s unless said otherwise. */
  readonly timeoutMs?: number | undefined;
  /** 2 unless said otherwise. */
  readonly maxRetries?: number | undefined;
  /** Sends the bytes; `fetch` unless said otherwise. */
  readonly transport?: Transport | undefined;
  /** In place of the global `fetch`: one that goes through a proxy, trusts other certificates, or is a test's. */
  readonly fetch?: Fetch | undefined;
  /** Is told what happens, without secrets. Without one, TOLLGATE_LOG=debug (info, warn) writes it to standard error. */
  readonly logger?: Logger | undefined;
  /** Is told when a call begins and how it has ended: for traces and metrics. */
  readonly observer?: Observer | undefined;
  readonly clock?: Clock | undefined;
  readonly agentToken?: string | undefined;
  /** Who builds on this library: goes behind its own name in `User-Agent`. */
  readonly appInfo?: AppInfo | undefined;
  /** `http://` is for loopback only, unless this is set. */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Whoever visits a page has what is in it, and whoever has your private key can pay and refund. So a key that can be
   * read is refused in a browser, unless this is set: for the sandbox, and for tools that nobody else opens.
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /** Refusals from before the caller is known may come unsigned. `false`: then they are errors of the signature. */
  readonly allowUnsignedRefusals?: boolean | undefined;
  /** How old a notification may be; 300 unless said otherwise, 0 for any age. */
  readonly webhookToleranceSeconds?: number | undefined;
}

/** Who builds on this library. */
export interface AppInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

/** A client of the gateway. Its operations are grouped as in the interface: `client.payments.pay(…)`. */
export class Tollgate extends ClientAreas {
  declare readonly payments: PaymentsArea & Waits & ByCode;
  declare readonly tollgate: TollgateArea & Feed;
  readonly webhooks: Webhooks;
  readonly #call: Call;

  constructor(options: TollgateOptions = {}) {
    const settings = settingsOf(options);
    const call = callerOf(settings);
    super(call);
    this.#call = call;
    const { clientId, gatewayKeys, clock } = settings;
    const { payments, tollgate } = this;
    this.payments = { ...payments, ...waitsOf(payments, clock), ...byCodeOf(payments, clock) };
    const toleranceSeconds = toleranceOf(options.webhookToleranceSeconds);
    this.tollgate = { ...tollgate, ...feedOf(tollgate, settings, toleranceSeconds) };
    this.webhooks = new Webhooks({ clientId, gatewayKeys, clock, toleranceSeconds });
  }

  /** Calls any operation by its path, such as `payments/pay`. One that the library does not know is never repeated. */
  request(operation: string, body: object, options?: CallOptions): Promise<Answer<Record<string, unknown>>> {
    return this.#call(operation, body, options);
  }
}

function settingsOf(options: TollgateOptions): Settings {
  const clientId = clientIdOf(options.clientId);
  const keyVersion = options.keyVersion ?? Number(environment("TOLLGATE_KEY_VERSION") ?? 1);
  if (!Number.isSafeInteger(keyVersion) || keyVersion < 1)
    throw new ConfigurationError("A key version is 1 or more.");
  const { privateKey } = options;
  guardBrowser(options);
  const own =
    privateKey === undefined ? keyFrom("TOLLGATE_PRIVATE_KEY", privateKeyOf) : privateKeyOf(privateKey);
  if (!own) throw missing("privateKey", "PRIVATE_KEY or TOLLGATE_PRIVATE_KEY_FILE");
  const logger = options.logger ?? environmentLogger();
  const gatewayKeys = gatewayKeysOf(options.gatewayPublicKeys);
  warnOfOwnKey(gatewayKeys.all, own, logger);
  return {
    clientId,
    privateKey: own,
    keyVersion,
    gatewayKeys: gatewayKeys.ofVersion,
    baseUrl: baseUrlOf(options),
    isSandbox: isSandbox(clientId, options.environment ?? environment("TOLLGATE_ENVIRONMENT")),
    timeoutMs: checkedTimeoutMs(options.timeoutMs ?? 30_000),
    maxRetries: notNegative("maxRetries", options.maxRetries ?? 2),
    transport: options.transport ?? fetchTransport(options.fetch),
    logger,
    observer: options.observer,
    clock: options.clock ?? systemClock,
    random: Math.random,
    headers: headersOf(options),
    allowUnsignedRefusals: options.allowUnsignedRefusals ?? true,
  };
}

/** A key of WebCrypto that cannot be exported was made in that browser, by somebody who knows. */
function guardBrowser({ privateKey, dangerouslyAllowBrowser = false }: TollgateOptions): void {
  const isKept = typeof privateKey === "object" && !privateKey.extractable;
  if (isKept || dangerouslyAllowBrowser || !isBrowser()) return;
  throw new ConfigurationError(
    "This is a browser: whoever opens the page could read your private key, and pay and refund in your name. Call from " +
      "your server, or pass a CryptoKey that cannot be exported. For a page that only you open: dangerouslyAllowBrowser.",
  );
}

/** Test runners have a document as well, but Node is behind it. */
function isBrowser(): boolean {
  const isNode = typeof process !== "undefined" && typeof process.versions?.node === "string";
  return "document" in globalThis && !isNode;
}

/** The commonest mistake of all, and the answers alone do not give it away. */
function warnOfOwnKey(theirs: readonly PublicKey[], own: PrivateKey, logger: Logger): void {
  if (!theirs.some(({ spki }) => spki && own.spki && isEqual(spki, own.spki))) return;
  const message =
    "The gateway's public key is the public half of your own key, so no answer will verify. Take the key that the " +
    "gateway showed you when you registered yours.";
  logSafely(logger, { event: "warning", message });
}

function baseUrlOf({
  baseUrl = environment("TOLLGATE_BASE_URL"),
  allowInsecure = false,
}: TollgateOptions): string {
  if (baseUrl === undefined) throw missing("baseUrl", "BASE_URL");
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(`The base URL has to be like https://gateway.example, and is ${baseUrl}.`);
  }
  if (!/^\/*$/.test(url.pathname) || url.search !== "" || url.username !== "") {
    throw new ConfigurationError("The base URL has a scheme and a host and nothing else: paths are signed.");
  }
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !isLoopback && !allowInsecure) {
    throw new ConfigurationError("The base URL has to be https://. Unencrypted calls are for loopback only.");
  }
  return url.origin;
}

function isSandbox(clientId: string, chosen: string | undefined): boolean {
  if (chosen !== undefined && chosen !== "sandbox" && chosen !== "live") {
    throw new ConfigurationError(`The environment is sandbox or live, and not ${chosen}.`);
  }
  return chosen === undefined ? clientId.startsWith("SANDBOX_") : chosen === "sandbox";
}

function headersOf({ agentToken, appInfo }: TollgateOptions): Readonly<Record<string, string>> {
  const runtime = typeof process === "undefined" ? "browser" : `node ${process.versions?.node ?? "unknown"}`;
  const app = appInfo ? ` ${[appInfo.name, appInfo.version].filter(Boolean).join("/")}` : "";
  return {
    "content-type": "application/json; charset=UTF-8",
    ...checkedHeaders({
      // Browsers do not let pages say who they are.
      ...(typeof process !== "undefined" && {
        "user-agent": `tollgate-typescript/${version} (${runtime})${app}`,
      }),
      ...(agentToken !== undefined && { "agent-token": agentToken }),
    }),
  };
}
