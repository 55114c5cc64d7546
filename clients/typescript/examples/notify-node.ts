import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer, json } from "node:stream/consumers";
import { applyOnce, SignatureVerificationError, Webhooks } from "@tollgate/client";
import { inTransaction, order, settle } from "./shop.ts";

// To receive webhooks, you need only a client id and the gateway's public key, and no private key.
const webhooks = Webhooks.of();

async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { method, url: path = "", headers } = request;
    const notification = await webhooks.construct({
      method,
      path,
      headers,
      body: await buffer(request),
    });
    // A webhook can arrive twice, and webhooks can arrive out of order.
    await inTransaction((database) =>
      applyOnce(database, notification, () => settle(database, notification)),
    );
    response.setHeader("content-type", "application/json").end(webhooks.ack());
  } catch (error) {
    // Any response but the acknowledgement makes the gateway send the webhook again.
    const isForged = error instanceof SignatureVerificationError;
    if (!isForged) console.error(error);
    response.writeHead(isForged ? 401 : 500).end();
  }
}

async function tellOrder(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { paymentRequestId } = (await json(request)) as { paymentRequestId: string };
  const found = await order(paymentRequestId);
  response.setHeader("content-type", "application/json").end(JSON.stringify(found));
}

createServer((request, response) => {
  const answer = request.url?.startsWith("/notify") ? hear : tellOrder;
  answer(request, response).catch(() => response.writeHead(500).end());
}).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
