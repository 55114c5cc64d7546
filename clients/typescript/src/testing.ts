import { textOf, utf8 } from "./bytes.ts";
import type { Clock } from "./clock.ts";
import { ConnectionError } from "./errors.ts";
import { privateKeyOf, publicKeyOf, type KeyInput } from "./key.ts";
import { decodeSignature, readSignatureHeader, signedText, writeSignatureHeader } from "./signature.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
import { toWireTime } from "./wire-time.ts";

/** The next response of a scripted gateway. */
export type Reply =
  | { readonly body: object; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly fault: "reset" };

/** A gateway in memory that sends prepared responses and signs like a real one. */
export interface FakeGateway {
  readonly transport: Transport;
  /** The requests so far. */
  readonly requests: readonly TransportRequest[];
}

/** Creates a gateway in memory that sends these responses, one for each request, signed with this key. */
export function fakeGateway(replies: readonly Reply[], privateKey: KeyInput, keyVersion = 1): FakeGateway {
  const key = privateKeyOf(privateKey);
  const requests: TransportRequest[] = [];
  const transport: Transport = async (request) => {
    const reply = replies[requests.length];
    requests.push(request);
    if (!reply) throw new Error(`There is no response number ${requests.length}.`);
    if ("fault" in reply) throw new ConnectionError("The connection was reset.");
    const body = utf8(JSON.stringify(reply.body));
    // The response's time is the request's time: the client may have a fake clock, and rejects a response
    // that is too old.
    const nowMs = Number(request.headers["request-time"]);
    const [time, clientId] = [toWireTime(nowMs), request.headers["client-id"] ?? ""];
    const path = new URL(request.url).pathname;
    const signature = await key.sign(signedText({ method: "POST", path, clientId, time, body }));
    const headers: TransportResponse["headers"] = [
      ["signature", writeSignatureHeader(keyVersion, signature)],
      ["response-time", time],
      ["client-id", clientId],
      ...Object.entries(reply.headers ?? {}),
    ];
    return { status: reply.status ?? 200, headers, body };
  };
  return { transport, requests };
}

/** A clock for tests: `sleep` returns at once and advances the clock by its duration. */
export interface FakeClock extends Clock {
  /** All sleep times, in order. */
  readonly slept: readonly number[];
  advance(ms: number): void;
}

/**
 * A clock that does not advance by itself. `sleep` returns at once and advances the clock by its duration.
 */
export function fakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs;
  const slept: number[] = [];
  return {
    slept,
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
    },
  };
}

/**
 * Verifies that the owner of the public key signed the request. Returns its body if the signature is valid.
 */
export async function verifyRequest(request: TransportRequest, publicKey: KeyInput): Promise<unknown> {
  const { "client-id": clientId = "", "request-time": time = "", signature: value = "" } = request.headers;
  const header = readSignatureHeader([value]);
  const signature = typeof header === "string" ? undefined : decodeSignature(header.signature);
  if (!signature) throw new Error("The request has no valid signature header.");
  const { pathname, search } = new URL(request.url);
  const text = signedText({ method: "POST", path: pathname + search, clientId, time, body: request.body });
  if (!(await publicKeyOf(publicKey).verify(text, signature)))
    throw new Error("The signature does not match.");
  return JSON.parse(textOf(request.body) ?? "");
}

/** A pair of keys, as PEM. */
export interface TestKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Creates a new key pair, in base64. */
export async function testKeys(): Promise<TestKeys> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const [privateDer, publicDer] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("spki", pair.publicKey),
  ]);
  return { privateKey: base64(privateDer), publicKey: base64(publicDer) };
}

function base64(der: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(der)));
}
