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
import { ClientAreas, type PaymentsArea } from "./generated/operations.ts";
import { privateKeyOf, publicKeyOf, type KeyInput, type PrivateKey, type PublicKey } from "./key.ts";
import type { Logger } from "./log.ts";
import { byCodeOf, type ByCode } from "./pay-by-code.ts";
import { fetchTransport, type Transport } from "./transport.ts";
import type { GatewayKeys } from "./verify.ts";
import { waitsOf, type Waits } from "./wait-for-final.ts";
import { version } from "./version.ts";
import { Webhooks } from "./webhooks.ts";

/** What is left out is read from the environment, where there is one: TOLLGATE_CLIENT_ID and so on. */
export interface TollgateOptions {
  /** TOLLGATE_CLIENT_ID */
  readonly clientId?: string | undefined;
  /** Yours: PEM or bare base64, PKCS#8 or PKCS#1; or a key of WebCrypto. TOLLGATE_PRIVATE_KEY, or a file: …_KEY_FILE */
  readonly privateKey?: KeyInput | undefined;
  /** The gateway's: one, or one for each key version. TOLLGATE_GATEWAY_PUBLIC_KEY, or a file: …_KEY_FILE */
  readonly gatewayPublicKeys?: KeyInput | Readonly<Record<number, KeyInput>> | undefined;
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
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly agentToken?: string | undefined;
  /** Who builds on this library: goes behind its own name in `User-Agent`. */
  readonly appInfo?: { readonly name: string; readonly version?: string } | undefined;
  /** `http://` is for loopback only, unless this is set. */
  readonly allowInsecure?: boolean | undefined;
  /** Refusals from before the caller is known may come unsigned. `false`: then they are errors of the signature. */
  readonly allowUnsignedRefusals?: boolean | undefined;
  /** How old a notification may be; 300 unless said otherwise, 0 for any age. */
  readonly webhookToleranceSeconds?: number | undefined;
}

/** A client of the gateway. Its operations are grouped as in the interface: `client.payments.pay(…)`. */
export class Tollgate extends ClientAreas {
  declare readonly payments: PaymentsArea & Waits & ByCode;
  readonly webhooks: Webhooks;
  readonly #call: Call;

  constructor(options: TollgateOptions = {}) {
    const settings = settingsOf(options);
    const call = callerOf(settings);
    super(call);
    this.#call = call;
    const { clientId, gatewayKeys, clock } = settings;
    const { payments } = this;
    this.payments = { ...payments, ...waitsOf(payments, clock), ...byCodeOf(payments, clock) };
    const toleranceSeconds = notNegative("webhookToleranceSeconds", options.webhookToleranceSeconds ?? 300);
    this.webhooks = new Webhooks({ clientId, gatewayKeys, clock, toleranceSeconds });
  }

  /** Calls any operation by its path, such as `payments/pay`. One that the library does not know is never repeated. */
  request(operation: string, body: object, options?: CallOptions): Promise<Answer<Record<string, unknown>>> {
    return this.#call(operation, body, options);
  }
}

function settingsOf(options: TollgateOptions): Settings {
  const clientId = options.clientId ?? environment("TOLLGATE_CLIENT_ID");
  const keyVersion = options.keyVersion ?? Number(environment("TOLLGATE_KEY_VERSION") ?? 1);
  if (clientId === undefined) throw missing("clientId", "CLIENT_ID");
  if (!/^[\x21-\x7e]{1,64}$/.test(clientId)) {
    throw new ConfigurationError("A client id has 1 to 64 visible ASCII characters.");
  }
  if (!Number.isSafeInteger(keyVersion) || keyVersion < 1)
    throw new ConfigurationError("A key version is 1 or more.");
  const { privateKey } = options;
  const own =
    privateKey === undefined ? keyFrom("TOLLGATE_PRIVATE_KEY", privateKeyOf) : privateKeyOf(privateKey);
  if (!own) throw missing("privateKey", "PRIVATE_KEY or TOLLGATE_PRIVATE_KEY_FILE");
  const logger = options.logger ?? (() => undefined);
  return {
    clientId,
    privateKey: own,
    keyVersion,
    gatewayKeys: gatewayKeysOf(options, own, logger),
    baseUrl: baseUrlOf(options),
    isSandbox: isSandbox(clientId, options.environment ?? environment("TOLLGATE_ENVIRONMENT")),
    timeoutMs: checkedTimeoutMs(options.timeoutMs ?? 30_000),
    maxRetries: notNegative("maxRetries", options.maxRetries ?? 2),
    transport: options.transport ?? fetchTransport,
    logger,
    clock: options.clock ?? systemClock,
    random: Math.random,
    headers: headersOf(options),
    allowUnsignedRefusals: options.allowUnsignedRefusals ?? true,
  };
}

function missing(option: string, variable: string): ConfigurationError {
  return new ConfigurationError(`There is no ${option}: pass it, or set TOLLGATE_${variable}.`);
}

function gatewayKeysOf(options: TollgateOptions, own: PrivateKey, logger: Logger): GatewayKeys {
  const { one, byVersion } = givenKeys(options.gatewayPublicKeys);
  const all = one ? [one] : [...byVersion.values()];
  if (all.length === 0)
    throw new ConfigurationError("There has to be at least one public key of the gateway.");
  if (all.some(({ spki }) => spki && own.spki && isEqual(spki, own.spki))) {
    const message =
      "The gateway's public key is the public half of your own key, so no answer will verify. Take the key that the " +
      "gateway showed you when you registered yours.";
    logSafely(logger, { event: "warning", message });
  }
  return (each) => one ?? byVersion.get(each);
}

interface GivenKeys {
  /** Counts for every version. */
  readonly one?: PublicKey;
  readonly byVersion: ReadonlyMap<number, PublicKey>;
}

function givenKeys(given: TollgateOptions["gatewayPublicKeys"]): GivenKeys {
  const byVersion = new Map<number, PublicKey>();
  if (given === undefined) {
    const one = keyFrom("TOLLGATE_GATEWAY_PUBLIC_KEY", publicKeyOf);
    if (!one) throw missing("gatewayPublicKeys", "GATEWAY_PUBLIC_KEY or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE");
    return { one, byVersion };
  }
  if (typeof given === "string" || "usages" in given) return { one: publicKeyOf(given), byVersion };
  for (const [each, key] of Object.entries(given)) byVersion.set(Number(each), publicKeyOf(key));
  return { byVersion };
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
