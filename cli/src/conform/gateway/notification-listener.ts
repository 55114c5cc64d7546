import type { KeyObject } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { signatureHolds } from "../../../../clients/typescript/src/signing.ts";
import { listenAt, type ListenAddress } from "../listen-address.ts";

export interface Told {
  readonly isSigned: boolean;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A merchant's webhook endpoint that acknowledges every webhook. */
export interface NotificationListener {
  readonly url: string;
  /** Returns the webhook about a payment when it arrives, or undefined at the end of `patienceMs`. */
  toldOf(paymentId: string, patienceMs: number): Promise<Told | undefined>;
  stop(): Promise<void>;
}

interface Listening {
  readonly address: ListenAddress;
  readonly clientId: string;
  readonly gatewayKey: KeyObject;
}

const ack = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';

export async function listenForNotifications(listening: Listening): Promise<NotificationListener> {
  const { address, clientId, gatewayKey } = listening;
  const all: Told[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const header = (name: string): string => String(request.headers[name] ?? "");
      const message = { path: request.url ?? "", clientId, time: header("request-time"), body };
      const isSigned = signatureHolds(message, header("signature"), gatewayKey);
      try {
        all.push({ isSigned, json: JSON.parse(body.toString("utf8")) as Told["json"] });
      } catch {
        // The listener ignores a webhook that is not JSON, because no case waits for one.
      }
      response.setHeader("content-type", "application/json").end(ack);
    });
  });
  const origin = await listenAt(server, address);
  return {
    // The address has a query, because the query is part of the signed text.
    url: `${origin}/conform/notify?shop=1`,
    async toldOf(paymentId, patienceMs) {
      const find = (): Told | undefined => all.find(({ json }) => json["paymentId"] === paymentId);
      for (const giveUpAtMs = performance.now() + patienceMs; performance.now() < giveUpAtMs; await wait(20))
        if (find()) return find();
      return find();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
