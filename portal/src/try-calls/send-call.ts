import { askView, type Place } from "../api/console.ts";
import { gatewayOf } from "../api/environments.ts";
import { isSignedBy, signText } from "../keys/make-key.ts";
import type { KeptKey } from "./browser-key-store.ts";

export interface TriedCall {
  /** The operation, such as `payments/pay`. */
  readonly operation: string;
  readonly body: string;
}

export interface TriedAnswer {
  readonly requestId: string | undefined;
  readonly resultCode: string;
  readonly resultStatus: "S" | "F" | "U";
  readonly body: string;
  readonly durationMs: number;
  readonly seal: Seal;
}

/** The result of verifying the response's signature. */
export type Seal =
  | { readonly word: "held"; readonly keyVersion: number }
  | { readonly word: "broken" | "unsigned" };

export function pathOf(operation: string): string {
  return `/ams/sandbox/api/v1/${operation}`;
}

/**
 * `sendCall` signs an API request as a merchant's system does, sends it, and verifies the signature of the response.
 */
export async function sendCall(place: Place, key: KeptKey, call: TriedCall): Promise<TriedAnswer> {
  const { clientId } = place;
  const path = pathOf(call.operation);
  const time = String(Date.now());
  const signature = await signText(key.privateKey, `POST ${path}\n${clientId}.${time}.${call.body}`);
  const startedMs = performance.now();
  const answer = await fetch(`${gatewayOf(place.environment)?.url ?? ""}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "client-id": clientId,
      "request-time": time,
      signature: `algorithm=RSA256,keyVersion=${key.keyVersion},signature=${encodeURIComponent(signature)}`,
    },
    body: call.body,
    credentials: "omit",
  });
  const body = await answer.text();
  const durationMs = Math.round(performance.now() - startedMs);
  const { result } = JSON.parse(body) as {
    readonly result: Pick<TriedAnswer, "resultCode" | "resultStatus">;
  };
  return {
    requestId: answer.headers.get("request-id") ?? undefined,
    resultCode: result.resultCode,
    resultStatus: result.resultStatus,
    body,
    durationMs,
    seal: await sealOf(place, path, answer.headers, body),
  };
}

async function sealOf(place: Place, path: string, headers: Headers, body: string): Promise<Seal> {
  const seal = /keyVersion=(\d+),signature=(.+)$/.exec(headers.get("signature") ?? "");
  if (!seal) return { word: "unsigned" };
  const [keyVersion, signature = ""] = [Number(seal[1]), seal[2]];
  const { gatewayKeys } = await askView(place, "keys", {});
  const key = gatewayKeys.find((each) => each.keyVersion === keyVersion);
  const text = `POST ${path}\n${place.clientId}.${headers.get("response-time") ?? ""}.${body}`;
  const holds = key !== undefined && (await isSignedBy(key.publicKey, decodeURIComponent(signature), text));
  return holds ? { word: "held", keyVersion } : { word: "broken" };
}
