import { concat, utf8 } from "./bytes.ts";
import { systemClock, type Clock } from "./clock.ts";
import { ConfigurationError, SignatureVerificationError } from "./errors.ts";
import { privateKeyOf, type KeyInput } from "./key.ts";
import { readNotification, type Notification } from "./notification.ts";
import { clientIdOf, gatewayKeysOf, type GatewayPublicKeys } from "./receiving.ts";
import { signedText, writeSignatureHeader } from "./signature.ts";
import { timeProblem, verify, type GatewayKeys } from "./verify.ts";
import { toWireTime } from "./wire-time.ts";

/** A request to the merchant's webhook endpoint. */
export interface Incoming {
  readonly method?: string | undefined;
  /** Path and query of the request. */
  readonly path: string;
  /** The headers in the form of any framework: an object, `Headers`, or pairs. */
  readonly headers: HeaderBag;
  /** The raw bytes, or their text; never the parsed body. */
  readonly body: Uint8Array | string;
}

/** Headers in the form of any framework. */
export type HeaderBag =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

/**
 * Options of a receiver. Missing options are read from the environment: TOLLGATE_CLIENT_ID,
 * TOLLGATE_GATEWAY_PUBLIC_KEY.
 */
export interface WebhookOptions {
  /** TOLLGATE_CLIENT_ID */
  readonly clientId?: string | undefined;
  /**
   * The gateway's public key: one, or one for each key version. Environment variable:
   * TOLLGATE_GATEWAY_PUBLIC_KEY, or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE for a file
   */
  readonly gatewayPublicKeys?: GatewayPublicKeys | undefined;
  /** Maximum age of a webhook in seconds (default 300); 0 accepts any age. */
  readonly webhookToleranceSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Settings, validated and complete. `Webhooks.of` creates them from options. */
export interface WebhookSettings {
  readonly clientId: string;
  readonly gatewayKeys: GatewayKeys;
  readonly clock: Clock;
  readonly toleranceSeconds: number;
}

/** A webhook to sign, for tests. */
export interface ToSign {
  readonly path: string;
  readonly body: Uint8Array | string;
  /** The private key of the test's gateway. */
  readonly privateKey: KeyInput;
  readonly keyVersion?: number;
}

/** Receives webhooks. A client has one; `Webhooks.of` creates one that needs no private key. */
export class Webhooks {
  /**
   * Creates a receiver for a service that only receives webhooks. The service has only public keys, so an
   * attacker who reads them cannot pay or refund.
   */
  static of(options: WebhookOptions = {}): Webhooks {
    return new Webhooks({
      clientId: clientIdOf(options.clientId),
      gatewayKeys: gatewayKeysOf(options.gatewayPublicKeys).ofVersion,
      clock: options.clock ?? systemClock,
      toleranceSeconds: toleranceOf(options.webhookToleranceSeconds),
    });
  }

  readonly #settings: WebhookSettings;

  constructor(settings: WebhookSettings) {
    this.#settings = settings;
  }

  /** Verifies a webhook, and only then parses it. */
  async construct({ method = "POST", path, headers, body }: Incoming): Promise<Notification> {
    const { clientId, gatewayKeys, clock, toleranceSeconds } = this.#settings;
    const bytes = rawBytes(body);
    const message = {
      kind: "webhook",
      method,
      path,
      clientId,
      headers: pairsOf(headers),
      body: bytes,
    } as const;
    const verified = await verify(message, gatewayKeys);
    if (typeof verified === "string") throw new SignatureVerificationError(verified);
    const problem = timeProblem(verified.time, clock.now(), toleranceSeconds);
    if (problem) throw new SignatureVerificationError(problem);
    return { ...(await readNotification(bytes)), ...verified };
  }

  /** The exact body that acknowledges a webhook. Send it with HTTP 200 and as JSON. */
  ack(): string {
    return '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';
  }

  /** The headers that the gateway would send with this body, for tests of an endpoint. */
  async sign({ path, body, privateKey, keyVersion = 1 }: ToSign): Promise<Readonly<Record<string, string>>> {
    const { clientId, clock } = this.#settings;
    const time = toWireTime(clock.now());
    const text = signedText({ method: "POST", path, clientId, time, body: rawBytes(body) });
    const signature = await privateKeyOf(privateKey).sign(text);
    return {
      "content-type": "application/json; charset=UTF-8",
      "client-id": clientId,
      "request-time": time,
      signature: writeSignatureHeader(keyVersion, signature),
    };
  }
}

export function toleranceOf(seconds = 300): number {
  if (seconds >= 0) return seconds;
  throw new ConfigurationError("webhookToleranceSeconds must not be less than 0.");
}

function rawBytes(body: unknown): Uint8Array {
  if (typeof body === "string") return utf8(body);
  // The bytes are copied, because the framework may reuse its buffer while the signature is verified.
  if (body instanceof Uint8Array) return concat(body);
  throw new SignatureVerificationError("BODY_ALREADY_PARSED");
}

function pairsOf(headers: HeaderBag): (readonly [string, string])[] {
  if (Symbol.iterator in headers) return [...headers];
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((each) => [name, each] as const),
  );
}
