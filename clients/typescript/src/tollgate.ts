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

/** Options of a client. Missing options are read from environment variables: TOLLGATE_CLIENT_ID and so on. */
export interface TollgateOptions {
  /** TOLLGATE_CLIENT_ID */
  readonly clientId?: string | undefined;
  /**
   * Your private key: PEM or bare base64, PKCS#8 or PKCS#1; or a WebCrypto key. Environment variable:
   * TOLLGATE_PRIVATE_KEY, or TOLLGATE_PRIVATE_KEY_FILE for a file
   */
  readonly privateKey?: KeyInput | undefined;
  /**
   * The gateway's public key: one, or one for each key version. Environment variable:
   * TOLLGATE_GATEWAY_PUBLIC_KEY, or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE for a file
   */
  readonly gatewayPublicKeys?: GatewayPublicKeys | undefined;
  /** Scheme and host, such as `https://gateway.example`. Environment variable: TOLLGATE_BASE_URL */
  readonly baseUrl?: string | undefined;
  /** The version of your own key (default 1). Environment variable: TOLLGATE_KEY_VERSION */
  readonly keyVersion?: number | undefined;
  /**
   * The default is sandbox if the client id starts with `SANDBOX_`. Environment variable:
   * TOLLGATE_ENVIRONMENT
   */
  readonly environment?: "sandbox" | "live" | undefined;
  /** For each attempt (default 30 s). */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries (default 2). */
  readonly maxRetries?: number | undefined;
  /** Sends the bytes (default `fetch`). */
  readonly transport?: Transport | undefined;
  /** Replaces the global `fetch`, for example to use a proxy, to trust other certificates, or for tests. */
  readonly fetch?: Fetch | undefined;
  /**
   * Receives log entries, without secrets. Without a logger, TOLLGATE_LOG=debug (info, warn) writes them to
   * standard error.
   */
  readonly logger?: Logger | undefined;
  /** Called at the start and at the end of each API call, for traces and metrics. */
  readonly observer?: Observer | undefined;
  readonly clock?: Clock | undefined;
  readonly agentToken?: string | undefined;
  /** The application or plugin that uses this library; appended to `User-Agent`. */
  readonly appInfo?: AppInfo | undefined;
  /** Allows `http://` for addresses other than loopback. */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Allows a readable private key in a browser. Every visitor of a page can read such a key, and with it can
   * pay and refund. Set it only for the sandbox, or for tools that are not public.
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Accepts unsigned rejections, which the gateway may send before it authenticates the client. With `false`
   * they are signature errors.
   */
  readonly allowUnsignedRefusals?: boolean | undefined;
  /** Maximum age of a webhook in seconds (default 300); 0 accepts any age. */
  readonly webhookToleranceSeconds?: number | undefined;
}

/** The application or plugin that uses this library. */
export interface AppInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

/** A client of the gateway. Its operations are grouped by area as in the API: `client.payments.pay(…)`. */
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

  /**
   * Calls any operation by its path, such as `payments/pay`. An operation that the library does not know is
   * never retried.
   */
  request(operation: string, body: object, options?: CallOptions): Promise<Answer<Record<string, unknown>>> {
    return this.#call(operation, body, options);
  }
}

function settingsOf(options: TollgateOptions): Settings {
  const clientId = clientIdOf(options.clientId);
  const keyVersion = options.keyVersion ?? Number(environment("TOLLGATE_KEY_VERSION") ?? 1);
  if (!Number.isSafeInteger(keyVersion) || keyVersion < 1)
    throw new ConfigurationError("The key version must be 1 or more.");
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

/**
 * Rejects a readable private key in a browser. A non-extractable WebCrypto key is accepted, because it was
 * created in that browser on purpose.
 */
function guardBrowser({ privateKey, dangerouslyAllowBrowser = false }: TollgateOptions): void {
  const isKept = typeof privateKey === "object" && !privateKey.extractable;
  if (isKept || dangerouslyAllowBrowser || !isBrowser()) return;
  throw new ConfigurationError(
    "This is a browser: every visitor of the page could read your private key, and pay and refund with it. Call the gateway " +
      "from your server, or pass a non-extractable CryptoKey. For a page that is not public, set dangerouslyAllowBrowser.",
  );
}

/** Whether this is a browser. Test runners define `document`, too, but they run on Node. */
function isBrowser(): boolean {
  const isNode = typeof process !== "undefined" && typeof process.versions?.node === "string";
  return "document" in globalThis && !isNode;
}

/**
 * Passing one's own public key as the gateway's key is the most common mistake, and the responses alone do
 * not reveal it.
 */
function warnOfOwnKey(theirs: readonly PublicKey[], own: PrivateKey, logger: Logger): void {
  if (!theirs.some(({ spki }) => spki && own.spki && isEqual(spki, own.spki))) return;
  const message =
    "The configured key of the gateway is your own public key, so verification will fail. Use the public key that " +
    "the gateway showed you at registration.";
  logSafely(logger, { event: "warning", message });
}

function baseUrlOf({
  baseUrl = environment("TOLLGATE_BASE_URL"),
  allowInsecure = false,
}: TollgateOptions): string {
  if (baseUrl === undefined) throw missing("baseUrl", "BASE_URL");
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(`The base URL must be like https://gateway.example, but it is ${baseUrl}.`);
  }
  if (!/^\/*$/.test(url.pathname) || url.search !== "" || url.username !== "") {
    throw new ConfigurationError(
      "The base URL must have only a scheme and a host, because paths are signed.",
    );
  }
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !isLoopback && !allowInsecure) {
    throw new ConfigurationError("The base URL must start with https://. Only loopback may use http://.");
  }
  return url.origin;
}

function isSandbox(clientId: string, chosen: string | undefined): boolean {
  if (chosen !== undefined && chosen !== "sandbox" && chosen !== "live") {
    throw new ConfigurationError(`The environment must be sandbox or live, not ${chosen}.`);
  }
  return chosen === undefined ? clientId.startsWith("SANDBOX_") : chosen === "sandbox";
}

function headersOf({ agentToken, appInfo }: TollgateOptions): Readonly<Record<string, string>> {
  const runtime = typeof process === "undefined" ? "browser" : `node ${process.versions?.node ?? "unknown"}`;
  const app = appInfo ? ` ${[appInfo.name, appInfo.version].filter(Boolean).join("/")}` : "";
  return {
    "content-type": "application/json; charset=UTF-8",
    ...checkedHeaders({
      // Browsers do not let pages set `User-Agent`.
      ...(typeof process !== "undefined" && {
        "user-agent": `tollgate-typescript/${version} (${runtime})${app}`,
      }),
      ...(agentToken !== undefined && { "agent-token": agentToken }),
    }),
  };
}
