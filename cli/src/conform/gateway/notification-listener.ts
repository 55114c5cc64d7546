import type { KeyObject } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { signatureHolds } from "../../../../clients/typescript/src/signing.ts";
import { startListening, type ListenAddress } from "../listen-address.ts";

export interface ReceivedNotification {
  readonly isSignatureValid: boolean;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A merchant's webhook endpoint that acknowledges every webhook. */
export interface NotificationListener {
  readonly url: string;
  /** Returns the webhook about a payment when it arrives, or undefined at the end of `patienceMs`. */
  waitForNotification(paymentId: string, patienceMs: number): Promise<ReceivedNotification | undefined>;
  stop(): Promise<void>;
}

interface ListenerSettings {
  readonly address: ListenAddress;
  readonly clientId: string;
  readonly gatewayKey: KeyObject;
}

const acknowledgement = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';

export async function listenForNotifications(settings: ListenerSettings): Promise<NotificationListener> {
  const { address, clientId, gatewayKey } = settings;
  const received: ReceivedNotification[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const header = (name: string): string => String(request.headers[name] ?? "");
      const message = { path: request.url ?? "", clientId, time: header("request-time"), body };
      const isSigned = signatureHolds(message, header("signature"), gatewayKey);
      try {
        received.push({
          isSignatureValid: isSigned,
          json: JSON.parse(body.toString("utf8")) as ReceivedNotification["json"],
        });
      } catch {
        // The listener ignores a webhook that is not JSON, because no case waits for one.
      }
      response.setHeader("content-type", "application/json").end(acknowledgement);
    });
  });
  const origin = await startListening(server, address);
  return {
    // The address has a query, because the query is part of the signed text.
    url: `${origin}/conform/notify?shop=1`,
    async waitForNotification(paymentId, patienceMs) {
      const findNotification = (): ReceivedNotification | undefined =>
        received.find(({ json }) => json["paymentId"] === paymentId);
      for (const giveUpAtMs = performance.now() + patienceMs; performance.now() < giveUpAtMs; await wait(20))
        if (findNotification()) return findNotification();
      return findNotification();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
