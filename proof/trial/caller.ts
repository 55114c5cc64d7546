import { createPrivateKey, createPublicKey } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { signatureHolds, signatureInBackground } from "../../clients/typescript/src/signing.ts";
import { verbs, type Answer, type History, type Verb } from "../oracle/history.ts";
import type { Merchant } from "../installation/installation.ts";

/** Calls the gateway like merchants' systems, and adds every response to the history. */
export interface Caller {
  /** Sends one request through one proxy, and returns undefined if there was no response. */
  call(call: MerchantCall): Promise<AnswerWithBody | undefined>;
  close(): void;
}

/** A response with its whole body. The history keeps only the fields that are judged. */
export interface AnswerWithBody extends Answer {
  readonly json: Readonly<Record<string, unknown>>;
}

export interface MerchantCall {
  readonly verb: Verb;
  readonly merchant: Merchant;
  /** The request id of the payment, the refund or the capture. */
  readonly requestId: string;
  readonly body: object;
  /** The port of the fault proxy that forwards the call. */
  readonly port: number;
  /** The buyer's consent for a payment by token or a revocation. */
  readonly consent?: string | undefined;
}

export interface CallerOptions {
  readonly history: History;
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
  readonly isLive: boolean;
  /** Returns milliseconds since the beginning of the storm. */
  readonly nowMs: () => number;
}

const answerTimeoutMs = 12_000;

export function newCaller({ history, privateKey, gatewayPublicKey, isLive, nowMs }: CallerOptions): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const root = isLive ? "/ams/api/v1/" : "/ams/sandbox/api/v1/";
  // The keys are parsed once, because parsing a key takes longer than verifying with it.
  const ownKey = createPrivateKey(privateKey);
  const gatewayKey = createPublicKey(gatewayPublicKey);

  async function sendCall(call: MerchantCall): Promise<AnswerWithBody | undefined> {
    const { verb, merchant, requestId, body, port, consent } = call;
    const path = root + verbs[verb].path;
    const text = JSON.stringify(body);
    const { clientId, keyVersion } = merchant;
    const message = { path, clientId, time: String(Date.now()), body: text };
    const signature = await signatureInBackground(message, ownKey, keyVersion);
    const headers = {
      "content-type": "application/json; charset=UTF-8",
      "client-id": clientId,
      "request-time": message.time,
      signature,
      "content-length": String(Buffer.byteLength(text)),
    };
    const sentAtMs = nowMs();
    const response = await post({ agent, port, path, headers }, text).catch(() => undefined);
    if (!response) {
      history.unansweredAtMs.push(nowMs());
      return undefined;
    }
    const responseMessage = { path, clientId, time: response.header("response-time"), body: response.body };
    const json = parse(response.body);
    const answer: Answer = {
      verb,
      requestId,
      clientId,
      sentAtMs,
      answeredAtMs: nowMs(),
      httpStatus: response.status,
      isSigned: signatureHolds(responseMessage, response.header("signature"), gatewayKey),
      ...parseAnswer(verb, json),
      ...(consent !== undefined && { consent }),
    };
    history.answers.push(answer);
    return { ...answer, json };
  }
  return { call: sendCall, close: () => agent.destroy() };
}

interface HttpResponse {
  readonly status: number;
  readonly body: string;
  header(name: string): string;
}

function post(
  {
    agent,
    port,
    path,
    headers,
  }: { agent: Agent; port: number; path: string; headers: Record<string, string> },
  text: string,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const options = { agent, host: "127.0.0.1", port, path, headers, method: "POST", signal };
    const outgoing = httpRequest(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          body: Buffer.concat(chunks).toString("utf8"),
          header: (name) => String(incoming.headers[name] ?? ""),
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

function parseAnswer(
  verb: Verb,
  json: Readonly<Record<string, unknown>>,
): Pick<Answer, "resultStatus" | "resultCode" | "id" | "recordStatus"> {
  const { id } = verbs[verb];
  const result = (json["result"] ?? {}) as Record<string, unknown>;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    resultStatus: text(result["resultStatus"]) ?? "",
    resultCode: text(result["resultCode"]) ?? "",
    id: id && text(json[id]),
    recordStatus: text(json["paymentStatus"]) ?? text(json["refundStatus"]) ?? issuedStatus(json),
  };
}

/**
 * `issuedStatus` returns PROCESSING for a response with a code or a page for the buyer, because the payment is not paid
 * yet.
 */
function issuedStatus(json: Readonly<Record<string, unknown>>): string | undefined {
  const isIssued = json["orderCodeForm"] !== undefined || json["redirectActionForm"] !== undefined;
  return isIssued ? "PROCESSING" : undefined;
}

function parse(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}
