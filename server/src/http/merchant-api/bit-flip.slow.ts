import assert from "node:assert/strict";
import { test } from "node:test";
import { parseResponses, exchangeBytes, openSocket, rawRequest } from "../../../test/http/raw-http.ts";
import { startServeProcess } from "../../../test/start/serve-process.ts";
import { unansweredBeforeAuthenticationMax } from "../limits/connections.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  signedHeaders,
  type ReceivedAnswer,
} from "../../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";

const requestCount = 20;
/** Number of connections: enough to keep the gateway busy, but below its concurrency limit. */
const connectionCount = 6;
const pipelined = unansweredBeforeAuthenticationMax;

const { database, variables } = await prepareTestGateway("sandbox");
const merchants = [await newMerchant(database, "Coffee Lab"), await newMerchant(database, "Tea Lab")];
const gateway = await startServeProcess(variables);

/** A request as bytes: the parts that a signature covers, and the signature itself. */
interface Signed {
  readonly path: Buffer;
  readonly clientId: Buffer;
  readonly time: Buffer;
  readonly body: Buffer;
  readonly signature: Buffer;
}

/**
 * Codes that an unsigned request may get. A response with another code means that an unauthenticated request has passed
 * a check.
 */
const rejectionCodes = new Set(["NO_INTERFACE_DEF", "PARAM_ILLEGAL", "UNKNOWN_CLIENT", "INVALID_SIGNATURE"]);

test(
  `of ${requestCount} signed requests, each single flipped bit is detected`,
  { timeout: 120_000 },
  async (t) => {
    const requests = await Promise.all(
      Array.from({ length: requestCount }, (_, index) => signedRequest(index)),
    );
    for (const request of requests) {
      const { answers } = await exchangeBytes(gateway.url, bytesOf(request));
      assert.equal(answers[0]?.json.result["resultCode"], "SUCCESS");
    }
    await untilLogged(requestCount);
    const before = await countRows();

    const flips = requests.flatMap(listBitFlips);
    const { safe: pipelinedFlips = [], odd: separateFlips = [] } = Object.groupBy(flips, (flip) =>
      isOdd(flip) ? "odd" : "safe",
    );
    const startedAtMs = performance.now();
    const undetected = (
      await Promise.all([...sendPipelined(pipelinedFlips), ...sendAlone(separateFlips)])
    ).flat();
    const seconds = (performance.now() - startedAtMs) / 1000;
    t.diagnostic(`${flips.length} flips in ${seconds.toFixed(1)} s, ${separateFlips.length} of them alone`);
    assert.deepEqual(undetected.slice(0, 10), []);

    // The gateway flushes its log and counters as it stops.
    await gateway.stop();
    assert.deepEqual(await countRows(), before);
  },
);

/**
 * A signed request. All requests differ: two merchants, four forms of path, three forms of time, and different bodies.
 */
async function signedRequest(index: number): Promise<Signed> {
  const merchant = merchants[index % 2]!;
  const plain = pathOf("sandbox", inquiryPath);
  const path = [plain, plain.replace("/v1/", "//v1/"), `${plain}?till=${index}`, `${plain}?`][index % 4]!;
  const now = new Date();
  const time = [String(now.getTime()), now.toISOString(), `${now.toISOString().slice(0, 19)}+0000`][
    index % 3
  ]!;
  const { paymentId, paymentRequestId } = await insertTestPayment(database, merchant.clientId);
  const body =
    index % 5 === 0 ? `{"paymentId":"${paymentId}"}` : `{"paymentRequestId":"${paymentRequestId}"}`;
  const headers = signedHeaders(merchant, { path, body, time });
  const signature = decodeURIComponent(headers["signature"]?.split("signature=")[1] ?? "");
  return {
    path: Buffer.from(path),
    clientId: Buffer.from(merchant.clientId),
    time: Buffer.from(time),
    body: Buffer.from(body),
    signature: Buffer.from(signature, "base64"),
  };
}

/** A request with one flipped bit. */
interface Flip {
  readonly request: Signed;
  readonly part: keyof Signed;
  readonly bit: number;
}

function listBitFlips(request: Signed): readonly Flip[] {
  const parts = Object.keys(request) as (keyof Signed)[];
  return parts.flatMap((part) =>
    Array.from({ length: request[part].length * 8 }, (_, bit) => ({ request, part, bit })),
  );
}

function flipped({ request, part, bit }: Flip): Signed {
  const bytes = Buffer.from(request[part]);
  bytes[bit >> 3]! ^= 1 << (bit & 7);
  return { ...request, [part]: bytes };
}

/** Whether the flipped request may no longer be valid HTTP. Then it gets its own connection, which it may break. */
function isOdd(flip: Flip): boolean {
  const { part, bit } = flip;
  if (part === "body" || part === "signature") return false;
  const byte = flipped(flip)[part][bit >> 3]!;
  const isFirstSlash = part === "path" && bit < 8;
  return isFirstSlash || byte <= 0x20 || byte >= 0x7f;
}

function bytesOf({ path, clientId, time, body, signature }: Signed): Buffer {
  const value = encodeURIComponent(signature.toString("base64"));
  const headers = [
    ["host", "gateway.example"],
    ["content-type", "application/json"],
    ["content-length", String(body.length)],
    ["client-id", clientId.toString("latin1")],
    ["request-time", time.toString("latin1")],
    ["signature", `algorithm=RSA256,keyVersion=1,signature=${value}`],
  ] as const;
  return rawRequest(`POST ${path.toString("latin1")} HTTP/1.1`, headers, body);
}

/** Sends requests in pipelines. Each promise resolves to one line for every flip that the gateway did not reject. */
function sendPipelined(flips: readonly Flip[]): readonly Promise<readonly string[]>[] {
  const waiting = [...flips];
  return Array.from({ length: connectionCount }, async () => {
    const socket = await openSocket(gateway.url);
    const wrong: string[] = [];
    while (waiting.length > 0) {
      const batch = waiting.splice(-pipelined);
      const answers = answersTo(batch.length, socket);
      socket.write(Buffer.concat(batch.map((flip) => bytesOf(flipped(flip)))));
      for (const [index, answer] of (await answers).entries()) {
        if (isShed(answer)) waiting.push(batch[index]!);
        else wrong.push(...verdict(batch[index]!, answer));
      }
    }
    socket.destroy();
    return wrong;
  });
}

/** The next responses on a connection that must stay open. */
function answersTo(
  count: number,
  socket: Awaited<ReturnType<typeof openSocket>>,
): Promise<readonly ReceivedAnswer[]> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const answers: ReceivedAnswer[] = [];
    const closed = (): void => reject(new Error(`The connection ended after ${answers.length} answers.`));
    const take = (chunk: Buffer): void => {
      const read = parseResponses(Buffer.concat([received, chunk]));
      received = read.rest;
      answers.push(...read.answers);
      if (answers.length < count) return;
      socket.removeAllListeners("data").off("close", closed);
      resolve(answers);
    };
    socket.on("data", take).once("close", closed);
  });
}

function sendAlone(flips: readonly Flip[]): readonly Promise<readonly string[]>[] {
  const waiting = [...flips];
  return Array.from({ length: connectionCount }, async () => {
    const wrong: string[] = [];
    for (let flip = waiting.pop(); flip; flip = waiting.pop()) {
      const { answers, closed } = await exchangeBytes(gateway.url, bytesOf(flipped(flip)));
      if (!answers[0]) assert.ok(closed);
      else if (isShed(answers[0])) waiting.push(flip);
      else wrong.push(...verdict(flip, answers[0]));
    }
    return wrong;
  });
}

/** On a busy machine the gateway sheds load, and then it has not validated the request. */
function isShed({ json }: ReceivedAnswer): boolean {
  return json.result["resultCode"] === "REQUEST_TRAFFIC_EXCEED_LIMIT";
}

function verdict({ part, bit }: Flip, { status, json }: ReceivedAnswer): readonly string[] {
  const { resultCode = "", resultStatus } = json.result;
  // The gateway rejects a target that is no operation by HTTP status.
  const isRefused =
    resultStatus === undefined
      ? status === 400 || status === 404
      : resultStatus === "F" && rejectionCodes.has(resultCode);
  return isRefused ? [] : [`bit ${bit} of ${part}: ${status} ${resultCode}`];
}

/** Number of rows of each table. */
async function countRows(): Promise<Readonly<Record<string, number>>> {
  const tables = await asSuperuser<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
    [],
    database.superuserUrl,
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`);
  const rows = await asSuperuser<{ name: string; rows: number }>(
    counts.join(" union all "),
    [],
    database.superuserUrl,
  );
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

/** Waits until the request log and the key uses are flushed. Requests and responses are counted for each merchant. */
async function untilLogged(count: number): Promise<void> {
  for (;;) {
    const { request_log: logged, key_uses: uses } = await countRows();
    if (logged === count && uses === 2 * merchants.length) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
