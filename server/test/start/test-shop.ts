import assert from "node:assert/strict";
import { verify, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { schemaViolation } from "../shop/webhook-schema.ts";
import { eventually } from "./test-process.ts";

/** A webhook as a merchant's system received it. */
export interface ReceivedNotification {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A merchant's system that receives and records webhooks. */
export interface TestShop {
  readonly notifyUrl: string;
  /** Webhooks about a payment so far, oldest first. */
  webhooksOf(paymentId: string): readonly ReceivedNotification[];
  /** Waits until the shop has at least `count` webhooks about a payment, and returns them. */
  waitForWebhooks(paymentId: string, count: number): Promise<readonly ReceivedNotification[]>;
  /** Waits until the shop has at least `count` webhooks about a registration, and returns them. */
  waitForRegistration(registrationRequestId: string, count: number): Promise<readonly ReceivedNotification[]>;
  /** Webhooks about disputes so far, oldest first. */
  disputeWebhooks(): readonly ReceivedNotification[];
  /** Waits for the first webhook about an authorization with these fields. */
  waitForAuthorization(fields: Readonly<Record<string, unknown>>): Promise<ReceivedNotification>;
  /** All received webhooks. */
  all(): readonly ReceivedNotification[];
  /** Waits for the first webhook of a type. */
  waitForKind(notifyType: string): Promise<ReceivedNotification>;
}

const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
});

export async function startTestShop(): Promise<TestShop> {
  const received: ReceivedNotification[] = [];
  const server = createServer((request, response) => {
    const { method = "", url: path = "" } = request;
    const headers = request.headers as Record<string, string>;
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      received.push({ method, path, headers, text, json: JSON.parse(text) as Record<string, unknown> });
      response.end(acknowledgement);
    });
  }).listen(0, "127.0.0.1");
  after(() => {
    server.close();
    // In every test, webhooks must match their documented schema.
    assert.deepEqual(
      received.flatMap(({ json }) => schemaViolation(json) ?? []),
      [],
    );
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const toldOf = (paymentId: string): readonly ReceivedNotification[] =>
    received.filter(({ json }) => json["paymentId"] === paymentId);
  return {
    notifyUrl: `http://127.0.0.1:${port}/notify?shop=1`,
    webhooksOf: toldOf,
    waitForWebhooks: (paymentId, count) =>
      eventually(
        10_000,
        async () => toldOf(paymentId),
        (webhooks) => webhooks.length >= count,
      ),
    waitForRegistration: (registrationRequestId, count) =>
      eventually(
        10_000,
        async () => received.filter(({ json }) => json["registrationRequestId"] === registrationRequestId),
        (webhooks) => webhooks.length >= count,
      ),
    disputeWebhooks: () => received.filter(({ json }) => json["disputeId"] !== undefined),
    async waitForAuthorization(fields) {
      const hasFields = ({ json }: ReceivedNotification): boolean =>
        Object.entries(fields).every(([name, value]) => json[name] === value);
      const found = await eventually(
        10_000,
        async () => received.find(hasFields),
        (webhook) => webhook !== undefined,
      );
      assert(found);
      return found;
    },
    all: () => received,
    async waitForKind(notifyType) {
      const ofKind = ({ json }: ReceivedNotification): boolean => json["notifyType"] === notifyType;
      const found = await eventually(
        10_000,
        async () => received.find(ofKind),
        (webhook) => webhook !== undefined,
      );
      assert(found);
      return found;
    },
  };
}

/** Whether the gateway signed a webhook, over the path and query that it was sent to. */
export function isWebhookSigned({ path, headers, text }: ReceivedNotification, key: KeyObject): boolean {
  const { signature = "", "request-time": time = "", "client-id": clientId = "" } = headers;
  const value = Buffer.from(decodeURIComponent(signature.split("signature=")[1] ?? ""), "base64");
  return verify("sha256", Buffer.from(`POST ${path}\n${clientId}.${time}.${text}`), key, value);
}
