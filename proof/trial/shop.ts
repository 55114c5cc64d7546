import type { KeyLike } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { signatureHolds } from "../../clients/typescript/src/signing.ts";
import type { History } from "../oracle/history.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

/** The merchants' webhook endpoint: it receives webhooks and acknowledges them. */
export interface Shop {
  readonly port: number;
  close(): Promise<void>;
}

export interface ShopOptions {
  readonly history: History;
  readonly random: Random;
  /**
   * Returns the gateway's public key. The shop calls it at the first webhook, because the shop opens before the gateway
   * has a key.
   */
  readonly gatewayPublicKey: () => KeyLike;
  /** Returns milliseconds since the beginning of the storm. */
  readonly nowMs: () => number;
  /** With a certificate the shop uses TLS, behind a proxy that leads only to it. */
  readonly certificate?: Certificate | undefined;
}

/** In PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
});
/** The share of webhooks at which the shop fails, because a merchant's system also has errors. */
const failureShare = 0.01;

export async function openShop(options: ShopOptions): Promise<Shop> {
  const handleWebhook = newWebhookHandler(options);
  const tunnels = new Set<Duplex>();
  const server = options.certificate
    ? newProxy(handleWebhook, options.certificate, tunnels)
    : createServer(handleWebhook);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const tunnel of tunnels) tunnel.destroy();
      await closed;
    },
  };
}

/** The operator's proxy and the shop in one: every CONNECT, to any host, leads to the shop. */
function newProxy(handleWebhook: RequestListener, certificate: Certificate, tunnels: Set<Duplex>): Server {
  const tlsServer = createSecureServer({ ...certificate }, handleWebhook);
  tlsServer.on("tlsClientError", () => undefined);
  const proxy = createServer();
  proxy.on("connect", (_request, socket) => {
    tunnels.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => tunnels.delete(socket));
    socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    tlsServer.emit("connection", socket);
  });
  return proxy;
}

function newWebhookHandler({ history, random, gatewayPublicKey, nowMs }: ShopOptions): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    // A fault proxy may cut the connection during a message.
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const header = (name: string): string => String(request.headers[name] ?? "");
      const message = {
        path: request.url ?? "",
        clientId: header("client-id"),
        time: header("request-time"),
        body,
      };
      const isSigned = signatureHolds(message, header("signature"), gatewayPublicKey());
      history.notifications.push({
        atMs: nowMs(),
        clientId: message.clientId,
        isSigned,
        ...parseWebhook(body),
      });
      if (random.chance(failureShare)) return void response.writeHead(500).end();
      response.writeHead(200, { "content-type": "application/json" }).end(acknowledgement);
    });
  };
}

type WebhookContent = Pick<
  History["notifications"][number],
  | "notifyType"
  | "resultStatus"
  | "resultCode"
  | "paymentId"
  | "refundId"
  | "captureId"
  | "disputeId"
  | "sequence"
>;

function parseWebhook(body: Buffer): WebhookContent {
  const json = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  const result = (json["result"] ?? {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = json[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    notifyType: text("notifyType") ?? text("disputeNotificationType") ?? "",
    resultStatus: String(result["resultStatus"]),
    resultCode: String(result["resultCode"]),
    paymentId: text("paymentId"),
    refundId: text("refundId"),
    captureId: text("captureId"),
    disputeId: text("disputeId"),
    sequence: typeof json["sequence"] === "number" ? json["sequence"] : undefined,
  };
}
