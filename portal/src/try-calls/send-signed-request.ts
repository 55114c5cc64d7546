import { queryView, type ClientScope } from "../api/console-requests.ts";
import { findGateway } from "../api/environments.ts";
import { isSignedBy, signText } from "../keys/create-key.ts";
import type { StoredKey } from "./browser-key-store.ts";

export interface RequestToSend {
  /** The operation, such as `payments/pay`. */
  readonly operation: string;
  readonly body: string;
}

export interface ReceivedAnswer {
  readonly requestId: string | undefined;
  readonly resultCode: string;
  readonly resultStatus: "S" | "F" | "U";
  readonly body: string;
  readonly durationMs: number;
  readonly signatureCheck: SignatureCheck;
}

/** The result of verifying the response's signature. */
export type SignatureCheck =
  | { readonly status: "held"; readonly keyVersion: number }
  | { readonly status: "broken" | "unsigned" };

export function operationPath(operation: string): string {
  return `/ams/sandbox/api/v1/${operation}`;
}

/**
 * `sendCall` signs an API request as a merchant's system does, sends it, and verifies the signature of the response.
 */
export async function sendCall(
  scope: ClientScope,
  key: StoredKey,
  call: RequestToSend,
): Promise<ReceivedAnswer> {
  const { clientId } = scope;
  const path = operationPath(call.operation);
  const time = String(Date.now());
  const signature = await signText(key.privateKey, `POST ${path}\n${clientId}.${time}.${call.body}`);
  const startedMs = performance.now();
  const answer = await fetch(`${findGateway(scope.environment)?.url ?? ""}${path}`, {
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
    readonly result: Pick<ReceivedAnswer, "resultCode" | "resultStatus">;
  };
  return {
    requestId: answer.headers.get("request-id") ?? undefined,
    resultCode: result.resultCode,
    resultStatus: result.resultStatus,
    body,
    durationMs,
    signatureCheck: await checkSignature(scope, path, answer.headers, body),
  };
}

async function checkSignature(
  scope: ClientScope,
  path: string,
  headers: Headers,
  body: string,
): Promise<SignatureCheck> {
  const signatureHeader = /keyVersion=(\d+),signature=(.+)$/.exec(headers.get("signature") ?? "");
  if (!signatureHeader) return { status: "unsigned" };
  const [keyVersion, signature = ""] = [Number(signatureHeader[1]), signatureHeader[2]];
  const { gatewayKeys } = await queryView(scope, "keys", {});
  const key = gatewayKeys.find((each) => each.keyVersion === keyVersion);
  const text = `POST ${path}\n${scope.clientId}.${headers.get("response-time") ?? ""}.${body}`;
  const holds = key !== undefined && (await isSignedBy(key.publicKey, decodeURIComponent(signature), text));
  return holds ? { status: "held", keyVersion } : { status: "broken" };
}
