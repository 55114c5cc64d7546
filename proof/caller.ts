import { createPrivateKey, createPublicKey } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { signatureHolds, signatureInBackground } from "../clients/typescript/src/signing.ts";
import type { Answer, History, Verb } from "./history.ts";
import type { Merchant } from "./installation.ts";

/** Calls the gateway as merchants' systems do, and writes down every answer. */
export interface Caller {
  /** One call over one line. Undefined when there was no answer. */
  call(asked: Asked): Promise<Answer | undefined>;
  close(): void;
}

export interface Asked {
  readonly verb: Verb;
  readonly merchant: Merchant;
  /** Of the payment, the refund or the capture that it is about. */
  readonly requestId: string;
  readonly body: object;
  /** The port of the line that it goes over. */
  readonly port: number;
}

export interface CallerOptions {
  readonly history: History;
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
  /** Since the beginning of the storm. */
  readonly nowMs: () => number;
}

const answerTimeoutMs = 12_000;

export function newCaller({ history, privateKey, gatewayPublicKey, nowMs }: CallerOptions): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  // Read once: to read a key takes longer than to verify with it.
  const ownKey = createPrivateKey(privateKey);
  const gatewayKey = createPublicKey(gatewayPublicKey);

  async function call({ verb, merchant, requestId, body, port }: Asked): Promise<Answer | undefined> {
    const path = `/ams/sandbox/api/v1/payments/${verb}`;
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
    const got = await post({ agent, port, path, headers }, text).catch(() => undefined);
    if (!got) {
      history.unansweredAtMs.push(nowMs());
      return undefined;
    }
    const answered = { path, clientId, time: got.header("response-time"), body: got.body };
    const answer: Answer = {
      verb,
      requestId,
      clientId,
      sentAtMs,
      answeredAtMs: nowMs(),
      httpStatus: got.status,
      isSigned: signatureHolds(answered, got.header("signature"), gatewayKey),
      ...contentOf(verb, got.body),
    };
    history.answers.push(answer);
    return answer;
  }
  return { call, close: () => agent.destroy() };
}

interface Got {
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
): Promise<Got> {
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

const idFields = {
  pay: "paymentId",
  cancel: "paymentId",
  inquiryPayment: "paymentId",
  refund: "refundId",
  inquiryRefund: "refundId",
  capture: "captureId",
} as const satisfies Record<Verb, string>;

function contentOf(
  verb: Verb,
  body: string,
): Pick<Answer, "resultStatus" | "resultCode" | "id" | "recordStatus"> {
  const json = parse(body);
  const result = (json["result"] ?? {}) as Record<string, unknown>;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    resultStatus: text(result["resultStatus"]) ?? "",
    resultCode: text(result["resultCode"]) ?? "",
    id: text(json[idFields[verb]]),
    recordStatus: text(json["paymentStatus"]) ?? text(json["refundStatus"]),
  };
}

function parse(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}
