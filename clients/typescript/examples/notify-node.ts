import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { applyOnce, applyOnceSql, SignatureVerificationError, Tollgate } from "@tollgate/client";

const client = new Tollgate({ environment: "sandbox" });
const database = new DatabaseSync(":memory:");
database.exec(applyOnceSql.sqlite.createTable);

async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const { method, url: path = "", headers } = request;
    const notification = await client.webhooks.construct({
      method,
      path,
      headers,
      body: Buffer.concat(chunks),
    });
    database.exec("begin");
    const execute = (sql: string, values: readonly (string | number)[]): number =>
      Number(database.prepare(sql).run(...values).changes);
    // Notifications come twice now and then, and may overtake each other.
    await applyOnce({ dialect: "sqlite", execute }, notification, () => {
      if (notification.kind === "notifyPayment") console.log("told", notification.body.result.resultCode);
    });
    database.exec("commit");
    response.setHeader("content-type", "application/json").end(client.webhooks.ack());
  } catch (error) {
    // Anything but the acknowledgement makes the gateway come again.
    response.writeHead(error instanceof SignatureVerificationError ? 401 : 500).end();
  }
}

createServer((request, response) => void hear(request, response)).listen(
  Number(process.env["PORT"] ?? 3000),
  "127.0.0.1",
);
