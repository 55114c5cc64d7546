import { fastify } from "fastify";
import { Tollgate } from "@tollgate/client";

const client = new Tollgate({ environment: "sandbox" });
const app = fastify();

// In place of Fastify's parser: a signature covers the bytes as they came.
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
  done(null, body),
);

app.post("/notify", async (request, reply) => {
  const { method, url: path, headers } = request;
  const notification = await client.webhooks.construct({
    method,
    path,
    headers,
    body: request.body as Buffer,
  });
  if (notification.kind === "notifyPayment") console.log("told", notification.body.result.resultCode);
  return reply.type("application/json").send(client.webhooks.ack());
});
await app.listen({ port: Number(process.env["PORT"] ?? 3000), host: "127.0.0.1" });
