import express, { type ErrorRequestHandler } from "express";
import { applyOnce, SignatureVerificationError, Tollgate } from "@tollgate/client";
import { inTransaction, order, settle } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });
const app = express();

// `express.raw` for this route, and before `express.json()`: a signature covers the bytes as they came.
app.post("/notify", express.raw({ type: "*/*" }), async (request, response) => {
  try {
    const { method, originalUrl: path, headers, body } = request;
    const notification = await client.webhooks.construct({ method, path, headers, body });
    await inTransaction((database) =>
      applyOnce(database, notification, () => settle(database, notification)),
    );
    response.type("json").send(client.webhooks.ack());
  } catch (error) {
    // Caught here: Express 4 does not see what an async function throws, and the process would end; Express 5 would show
    // the stack to whoever has called. Anything but the acknowledgement makes the gateway come again.
    const isForged = error instanceof SignatureVerificationError;
    if (!isForged) console.error(error);
    response.sendStatus(isForged ? 401 : 500);
  }
});

app.use(express.json());
app.post("/orders", (request, response, next) => {
  order(request.body.paymentRequestId).then((found) => response.json(found), next);
});

// In place of Express' own, which shows the stack to whoever has sent too much.
const hideStack: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error.status === undefined) console.error(error);
  response.sendStatus(error.status ?? 500);
};
app.use(hideStack);
app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
