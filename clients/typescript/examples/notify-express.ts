import express from "express";
import { Tollgate } from "@tollgate/client";

const client = new Tollgate({ environment: "sandbox" });
const app = express();

// `express.raw` for this route, and before any `express.json()`: a signature covers the bytes as they came.
app.post("/notify", express.raw({ type: "*/*" }), async (request, response) => {
  const { method, originalUrl: path, headers, body } = request;
  const notification = await client.webhooks.construct({ method, path, headers, body });
  if (notification.kind === "notifyPayment") console.log("told", notification.body.result.resultCode);
  response.type("json").send(client.webhooks.ack());
});
app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
