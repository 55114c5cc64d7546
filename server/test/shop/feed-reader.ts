import { createPrivateKey, sign } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

/**
 * A merchant's program that reads its event feed and may be killed at any moment. Each line of its file has the
 * processed event and the new position, so both are stored together. It resumes after the last line, at any gateway
 * that responds.
 */
const path = "/ams/sandbox/api/v1/tollgate/inquiryEvents";
const [mode = "", file = "", keyFile = "", clientId = "", ...urls] = process.argv.slice(2);
const privateKey = createPrivateKey(readFileSync(keyFile));
const readNext = mode === "stream" ? readStream : readPage;

for (let attempt = 0; ; attempt += 1) {
  const url = urls[attempt % urls.length] ?? "";
  await readNext(url).catch(() => undefined);
  await delay(20);
}

async function readPage(url: string): Promise<void> {
  const cursor = lastCursor();
  const response = await post(url, JSON.stringify({ limit: 40, cursor }));
  const { events = [] } = (await response.json()) as {
    events?: { cursor: string; notificationId: string }[];
  };
  for (const event of events) storeEvent(event.cursor, event.notificationId);
}

async function readStream(url: string): Promise<void> {
  const cursor = lastCursor();
  const response = await post(url, JSON.stringify({ follow: true, cursor }));
  if (!response.body) return;
  let id = "";
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    if (line.startsWith("id: ")) id = line.slice(4);
    if (!line.startsWith("data: ")) continue;
    const { body } = JSON.parse(line.slice(6)) as { body: string };
    storeEvent(id, (JSON.parse(body) as { paymentId: string }).paymentId);
  }
}

function lastCursor(): string | undefined {
  if (!existsSync(file)) return undefined;
  return readFileSync(file, "utf8").trimEnd().split("\n").at(-1)?.split(" ")[0];
}

function storeEvent(cursor: string, notificationId: string): void {
  appendFileSync(file, `${cursor} ${notificationId}\n`);
}

function post(url: string, body: string): Promise<Response> {
  const time = String(Date.now());
  const signature = sign("sha256", Buffer.from(`POST ${path}\n${clientId}.${time}.${body}`), privateKey);
  const written = encodeURIComponent(signature.toString("base64"));
  return fetch(url + path, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "client-id": clientId,
      "request-time": time,
      signature: `algorithm=RSA256,keyVersion=1,signature=${written}`,
    },
  });
}
