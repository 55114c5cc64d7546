import assert from "node:assert/strict";
import { verify, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { misfitOf } from "../shop/notification-form.ts";
import { eventually } from "./test-process.ts";

/** A notification as a merchant's system received it. */
export interface ReceivedNotification {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A merchant's system that listens, and takes note of whatever it is told. */
export interface TestShop {
  readonly notifyUrl: string;
  /** What it has been told of a payment so far, oldest first. */
  toldOf(paymentId: string): readonly ReceivedNotification[];
  /** The same, once there are so many. */
  waitForTold(paymentId: string, count: number): Promise<readonly ReceivedNotification[]>;
  /** What it has been told of a registration, once there is so much. */
  waitForRegistration(registrationRequestId: string, count: number): Promise<readonly ReceivedNotification[]>;
  /** What it has been told of disputes so far, oldest first. */
  disputeNews(): readonly ReceivedNotification[];
  /** What it has been told of authorizations that fits, once there is some. */
  waitForAuthorization(fields: Readonly<Record<string, unknown>>): Promise<ReceivedNotification>;
  /** Everything that it was told. */
  all(): readonly ReceivedNotification[];
  /** The first of a kind, as soon as there is one. */
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
    // Whatever a test is about: what merchants are told is as documented.
    assert.deepEqual(
      received.flatMap(({ json }) => misfitOf(json) ?? []),
      [],
    );
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const toldOf = (paymentId: string): readonly ReceivedNotification[] =>
    received.filter(({ json }) => json["paymentId"] === paymentId);
  return {
    notifyUrl: `http://127.0.0.1:${port}/notify?shop=1`,
    toldOf,
    waitForTold: (paymentId, count) =>
      eventually(
        10_000,
        async () => toldOf(paymentId),
        (told) => told.length >= count,
      ),
    waitForRegistration: (registrationRequestId, count) =>
      eventually(
        10_000,
        async () => received.filter(({ json }) => json["registrationRequestId"] === registrationRequestId),
        (told) => told.length >= count,
      ),
    disputeNews: () => received.filter(({ json }) => json["disputeId"] !== undefined),
    async waitForAuthorization(fields) {
      const isMeant = ({ json }: ReceivedNotification): boolean =>
        Object.entries(fields).every(([name, value]) => json[name] === value);
      const found = await eventually(
        10_000,
        async () => received.find(isMeant),
        (told) => told !== undefined,
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
        (told) => told !== undefined,
      );
      assert(found);
      return found;
    },
  };
}

/** Whether a notification's signature is the gateway's, over the path and query that it was sent to. */
export function notificationIsSigned({ path, headers, text }: ReceivedNotification, key: KeyObject): boolean {
  const { signature = "", "request-time": time = "", "client-id": clientId = "" } = headers;
  const value = Buffer.from(decodeURIComponent(signature.split("signature=")[1] ?? ""), "base64");
  return verify("sha256", Buffer.from(`POST ${path}\n${clientId}.${time}.${text}`), key, value);
}
