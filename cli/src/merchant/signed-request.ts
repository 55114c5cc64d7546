import { privateKeyOf } from "../../../clients/typescript/src/key.ts";
import { signedText, writeSignatureHeader } from "../../../clients/typescript/src/signature.ts";
import type { Caller } from "./configured-gateway.ts";

/** A request that the client library would not send, because it is invalid or gets an unusual response. */
export interface RawRequest {
  readonly operation: string;
  readonly body: string;
  readonly method?: string;
  /** Replaces the path that the client id's environment would determine. */
  readonly path?: string;
  readonly clientId?: string;
  readonly keyVersion?: number;
  readonly privateKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request is one of many, which are not all printed. */
  readonly isQuiet?: true;
}

/** The path of an operation, in the environment of the client id. */
export function operationPath({ clientId }: Pick<Caller, "clientId">, operation: string): string {
  return `${clientId.startsWith("SANDBOX_") ? "/ams/sandbox/api" : "/ams/api"}/v1/${operation}`;
}

export async function sendSigned(
  caller: Caller,
  request: RawRequest,
  signal?: AbortSignal,
): Promise<Response> {
  const { operation, body, method = "POST", headers = {} } = request;
  const path = request.path ?? operationPath(caller, operation);
  const clientId = request.clientId ?? caller.clientId;
  const time = String(Date.now());
  const text = signedText({ method, path, clientId, time, body: Buffer.from(body) });
  const signature = await privateKeyOf(request.privateKey ?? caller.privateKey).sign(text);
  return fetch(caller.baseUrl + path, {
    method,
    body,
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "client-id": clientId,
      "request-time": time,
      signature: writeSignatureHeader(request.keyVersion ?? caller.keyVersion, signature),
      ...headers,
    },
    ...(signal && { signal }),
  });
}

export async function sendRaw(
  caller: Caller,
  request: RawRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await sendSigned(caller, request);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
