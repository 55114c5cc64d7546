import type { KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { signatureFor, signatureHolds } from "../../../../clients/typescript/src/signing.ts";
import { parseWireTime, toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { startListening, type ListenAddress } from "../listen-address.ts";
import type { Signer } from "../signer.ts";

/** A received callback. */
export interface Callback {
  readonly isSignatureValid: boolean;
  readonly isFresh: boolean;
  readonly eventId: unknown;
  readonly reference: unknown;
  readonly json: Readonly<Record<string, unknown>>;
}

/** The responses to the next callbacks at an address; the last one is used for all later callbacks. */
export type CallbackResponse = "S" | "U" | "unsigned" | "HTTP 500";

/** The gateway's callback endpoint, with one address for each order. */
export interface CallbackListener {
  /** Opens a new address with the responses to its callbacks. */
  open(...responses: CallbackResponse[]): CallbackAddress;
  stop(): Promise<void>;
}

export interface CallbackAddress {
  readonly url: string;
  readonly received: readonly Callback[];
  /** Returns the received callbacks when `count` have arrived, or at the end of `patienceMs`. */
  waitForCallbacks(count: number, patienceMs: number): Promise<readonly Callback[]>;
}

interface ListenerSettings {
  readonly address: ListenAddress;
  readonly signer: Signer;
  readonly providerKey: KeyObject;
}

const toleranceMs = 600_000;

export async function listenForCallbacks(settings: ListenerSettings): Promise<CallbackListener> {
  const addresses = new Map<
    string,
    { readonly received: Callback[]; readonly responses: CallbackResponse[] }
  >();
  const server = createServer((request, response) => {
    void receiveCallback(settings, request, (path) => addresses.get(path)).then(
      (reaction) => sendResponse(settings, request.url ?? "", reaction, response),
      () => response.writeHead(400).end(),
    );
  });
  const origin = await startListening(server, settings.address);
  return {
    open(...reactions) {
      // The address has a query, because the query is part of the signed text.
      const path = `/conform/callbacks/${addresses.size + 1}?from=provider`;
      const received: Callback[] = [];
      addresses.set(path, { received, responses: reactions });
      return {
        url: origin + path,
        received,
        waitForCallbacks: (count, patienceMs) => waitForCount(received, count, patienceMs),
      };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function waitForCount(
  received: readonly Callback[],
  count: number,
  patienceMs: number,
): Promise<readonly Callback[]> {
  const giveUpAtMs = performance.now() + patienceMs;
  while (received.length < count && performance.now() < giveUpAtMs) await wait(10);
  return [...received];
}

async function receiveCallback(
  { signer, providerKey }: ListenerSettings,
  request: IncomingMessage,
  findAddress: (
    path: string,
  ) => { readonly received: Callback[]; readonly responses: CallbackResponse[] } | undefined,
): Promise<CallbackResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const path = request.url ?? "";
  const time = String(request.headers["request-time"] ?? "");
  const json = JSON.parse(body.toString("utf8")) as Callback["json"];
  const header = String(request.headers["signature"] ?? "");
  const address = findAddress(path);
  address?.received.push({
    isSignatureValid: signatureHolds({ path, clientId: signer.clientId, time, body }, header, providerKey),
    isFresh: Math.abs(Date.now() - (parseWireTime(time) ?? 0)) <= toleranceMs,
    eventId: json["eventId"],
    reference: json["reference"],
    json,
  });
  const { responses = [] } = address ?? {};
  return (responses.length > 1 ? responses.shift() : responses[0]) ?? "S";
}

function sendResponse(
  { signer }: ListenerSettings,
  path: string,
  reaction: CallbackResponse,
  response: ServerResponse,
): void {
  const resultStatus = reaction === "U" ? "U" : "S";
  const body = JSON.stringify({
    result: {
      resultStatus,
      resultCode: resultStatus === "S" ? "SUCCESS" : "UNKNOWN_EXCEPTION",
      resultMessage: "",
    },
  });
  const time = toWireTime(Date.now());
  const { clientId, privateKey, keyVersion } = signer;
  response.writeHead(reaction === "HTTP 500" ? 500 : 200, {
    "content-type": "application/json; charset=UTF-8",
    "client-id": clientId,
    "response-time": time,
    ...(reaction !== "unsigned" && {
      signature: signatureFor({ path, clientId, time, body }, privateKey, keyVersion),
    }),
  });
  response.end(body);
}
