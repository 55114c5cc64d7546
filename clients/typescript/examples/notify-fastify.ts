import { fastify, type FastifyInstance } from "fastify";
import { applyOnce, SignatureVerificationError, Tollgate } from "@tollgate/client";
import { inTransaction, order, settle } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });
const app = fastify();

// A separate plugin, so that its parser applies only to this route. Other routes still get parsed JSON.
await app.register(async (notifications: FastifyInstance) => {
  // Replaces the parser of Fastify: the signature covers the raw bytes of the body.
  notifications.removeAllContentTypeParsers();
  notifications.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  notifications.post("/notify", async ({ method, url: path, headers, body }, reply) => {
    const notification = await client.webhooks.construct({ method, path, headers, body: body as Buffer });
    await inTransaction((database) =>
      applyOnce(database, notification, () => settle(database, notification)),
    );
    return reply.type("application/json").send(client.webhooks.ack());
  });

  // Any response but the acknowledgement makes the gateway send the webhook again.
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
