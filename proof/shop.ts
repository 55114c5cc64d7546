import type { KeyLike } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { signatureHolds } from "../clients/typescript/src/signing.ts";
import type { History } from "./history.ts";
import type { Random } from "./random.ts";

/** The merchants' systems: they are told how payments end, and take note of what they are told. */
export interface Shop {
  readonly port: number;
  close(): Promise<void>;
}

export interface ShopOptions {
  readonly history: History;
  readonly random: Random;
  /** Asked for when the first notification comes: the shop opens before the gateway has a key. */
  readonly gatewayPublicKey: () => KeyLike;
  /** Since the beginning of the storm. */
  readonly nowMs: () => number;
}

const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
});
/** Shops are software too. */
const failsProbability = 0.01;

export async function openShop({ history, random, gatewayPublicKey, nowMs }: ShopOptions): Promise<Shop> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    // The line to the shop may be cut in the middle of a message.
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const one = (name: string): string => String(request.headers[name] ?? "");
      const message = {
        path: request.url ?? "",
        clientId: one("client-id"),
        time: one("request-time"),
        body,
      };
      const isSigned = signatureHolds(message, one("signature"), gatewayPublicKey());
      history.notifications.push({
        atMs: nowMs(),
        clientId: message.clientId,
        isSigned,
        ...contentOf(body),
      });
      if (random.chance(failsProbability)) return void response.writeHead(500).end();
      response.writeHead(200, { "content-type": "application/json" }).end(acknowledgement);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Content = Pick<
  History["notifications"][number],
  "notifyType" | "resultStatus" | "resultCode" | "paymentId" | "refundId" | "captureId"
>;

function contentOf(body: Buffer): Content {
  const json = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  const result = (json["result"] ?? {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = json[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    notifyType: text("notifyType") ?? "",
    resultStatus: String(result["resultStatus"]),
    resultCode: String(result["resultCode"]),
    paymentId: text("paymentId"),
    refundId: text("refundId"),
    captureId: text("captureId"),
  };
}
