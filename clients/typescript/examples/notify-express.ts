import express, { type ErrorRequestHandler } from "express";
import { applyOnce, SignatureVerificationError, Tollgate } from "@tollgate/client";
import { inTransaction, order, settle } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });
const app = express();

// `express.raw` for this route, before `express.json()`: the signature covers the raw bytes of the body.
app.post("/notify", express.raw({ type: "*/*" }), async (request, response) => {
  try {
    const { method, originalUrl: path, headers, body } = request;
    const notification = await client.webhooks.construct({ method, path, headers, body });
    await inTransaction((database) =>
      applyOnce(database, notification, () => settle(database, notification)),
    );
    response.type("json").send(client.webhooks.ack());
  } catch (error) {
    // Catch errors here: with Express 4, an error in an async function ends the process, and Express 5 sends
    // the stack trace to the client. Any response but the acknowledgement makes the gateway send the webhook
    // again.
    const isForged = error instanceof SignatureVerificationError;
    if (!isForged) console.error(error);
    response.sendStatus(isForged ? 401 : 500);
  }
});

app.use(express.json());
app.post("/orders", (request, response, next) => {
  order(request.body.paymentRequestId).then((found) => response.json(found), next);
});

// Replaces the error handler of Express, which sends the stack trace to the client when the body is too
// large.
const hideStack: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error.status === undefined) console.error(error);
  response.sendStatus(error.status ?? 500);
};
app.use(hideStack);
app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
