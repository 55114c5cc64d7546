import { concat, textOf, utf8 } from "./bytes.ts";
import type { Clock } from "./clock.ts";
import { MalformedResponseError, SignatureVerificationError } from "./errors.ts";
import { notifications, type NotificationFacts, type Told } from "./generated/notifications.ts";
import { withoutNulls } from "./json.ts";
import { privateKeyOf, type KeyInput } from "./key.ts";
import { signedText, writeSignatureHeader } from "./signature.ts";
import { timeProblem, verify, type GatewayKeys } from "./verify.ts";
import { toWireTime } from "./wire-time.ts";

/** A request that came to the merchant's endpoint. */
export interface Incoming {
  readonly method?: string | undefined;
  /** Path and query, as they were called. */
  readonly path: string;
  /** As any framework has them: an object, `Headers`, or pairs. */
  readonly headers: HeaderBag;
  /** The raw bytes, or their text; never the parsed body. */
  readonly body: Uint8Array | string;
}

export type HeaderBag =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

/** A notification whose signature holds. `switch (notification.kind)` gives `body` its type. */
export type Notification = Told & {
  /** The record that it tells of, and which of its changes: see `applyOnce`. */
  readonly subject: string;
  readonly sequence: number;
  /** The same only if the very same message comes again. Every attempt of the gateway has a new one. */
  readonly replayKey: string;
  readonly time: string;
};

export interface WebhookSettings {
  readonly clientId: string;
  readonly gatewayKeys: GatewayKeys;
  readonly clock: Clock;
  readonly toleranceSeconds: number;
}

export interface ToSign {
  readonly path: string;
  readonly body: Uint8Array | string;
  /** The gateway's, of a test. */
  readonly privateKey: KeyInput;
  readonly keyVersion?: number;
}

export class Webhooks {
  readonly #settings: WebhookSettings;

  constructor(settings: WebhookSettings) {
    this.#settings = settings;
  }

  /** Verifies a notification, and only then reads it. */
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

  /** The exact body that says that a notification was taken. Send it with HTTP 200 and as JSON. */
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

function rawBytes(body: unknown): Uint8Array {
  if (typeof body === "string") return utf8(body);
  // A copy, in case the framework uses its buffer again while we wait for the signature.
  if (body instanceof Uint8Array) return concat(body);
  throw new SignatureVerificationError("BODY_ALREADY_PARSED");
}

function pairsOf(headers: HeaderBag): (readonly [string, string])[] {
  if (Symbol.iterator in headers) return [...headers];
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((each) => [name, each] as const),
  );
}

/**
 * The types are what the interface promises; what a newer gateway adds is there as well. A notification that names no
 * record is its own subject: the gateway sends the same bytes in every attempt.
 */
async function readNotification(
  bytes: Uint8Array,
): Promise<Told & Pick<Notification, "subject" | "sequence">> {
  const body = objectIn(bytes);
  if (!body) throw new MalformedResponseError("The notification is signed, but it is not a JSON object.");
  const { kind = "unknown", subjectField = "" } = factsOf(body) ?? {};
  const { [subjectField]: record, sequence } = body;
  const subject = typeof record === "string" ? record : await digestOf(bytes);
  return {
    kind,
    body,
    subject: `${kind} ${subject}`,
    sequence: typeof sequence === "number" ? sequence : 0,
  } as Told & Pick<Notification, "subject" | "sequence">;
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Fields = Readonly<Record<string, unknown>>;

function factsOf(body: Fields): NotificationFacts | undefined {
  const type = body["notifyType"];
  if (typeof type === "string") return notifications.find(({ notifyTypes }) => notifyTypes.includes(type));
  return notifications.find(
    ({ notifyTypes, requiredFields }) =>
      notifyTypes.length === 0 && requiredFields.every((name) => name in body),
  );
}

function objectIn(bytes: Uint8Array): Fields | undefined {
  try {
    const body = withoutNulls(JSON.parse(textOf(bytes) ?? ""));
    return typeof body === "object" && !Array.isArray(body) ? (body as Fields) : undefined;
  } catch {
    return undefined;
  }
}
