import { fastify, type FastifyInstance } from "fastify";
import { applyOnce, SignatureVerificationError, Tollgate } from "@tollgate/client";
import { inTransaction, order, settle } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });
const app = fastify();

// A plugin of its own, so that its parser counts for this route only: the others get JSON as always.
await app.register(async (notifications: FastifyInstance) => {
  // In place of Fastify's parser: a signature covers the bytes as they came.
  notifications.removeAllContentTypeParsers();
  notifications.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  notifications.post("/notify", async ({ method, url: path, headers, body }, reply) => {
    const notification = await client.webhooks.construct({ method, path, headers, body: body as Buffer });
    await inTransaction((database) =>
      applyOnce(database, notification, () => settle(database, notification)),
    );
    return reply.type("application/json").send(client.webhooks.ack());
  });

  // Anything but the acknowledgement makes the gateway come again.
  notifications.setErrorHandler((error, _request, reply) => {
    const isForged = error instanceof SignatureVerificationError;
    if (!isForged) console.error(error);
    return reply.code(isForged ? 401 : 500).send();
  });
});

app.post("/orders", async (request) =>
  order((request.body as { paymentRequestId: string }).paymentRequestId),
);
await app.listen({ port: Number(process.env["PORT"] ?? 3000), host: "127.0.0.1" });
