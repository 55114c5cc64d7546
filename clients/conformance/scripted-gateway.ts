import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { byCode, http, findKeyPair, type ByCodeCase, type HttpCase, type Reply } from "./vectors.ts";

/**
 * A gateway that responds as http.json and by-code.json specify, and validates the requests that it receives.
 */
export interface ScriptedGateway {
  readonly url: string;
  stop(): Promise<void>;
}

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly atMs: number;
}

/** `GET /seen?run=…` returns the requests with a run's id, and their problems. */
export async function startScriptedGateway(): Promise<ScriptedGateway> {
  const runs = new Map<string, ReceivedRequest[]>();
  const server = createServer((request, response) => {
    void handle(request, response, runs).catch((error: unknown) => {
      response.writeHead(400).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  runs: Map<string, ReceivedRequest[]>,
): Promise<void> {
  const url = new URL(request.url ?? "", "http://localhost");
  if (request.method === "GET") {
    const run = url.searchParams.get("run") ?? "";
    const requests = runs.get(run) ?? [];
    const byCodeCase = findByCodeCase(run);
    const report = byCodeCase ? reportOnByCodeCase(requests) : reportOnHttpCase(findHttpCase(run), requests);
    response.setHeader("content-type", "application/json").end(JSON.stringify(report));
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { paymentRequestId: run = "" } = JSON.parse(body.toString("utf8")) as { paymentRequestId?: string };
  const requests = [...(runs.get(run) ?? [])];
  requests.push({ path: request.url ?? "", headers: request.headers, body, atMs: performance.now() });
  runs.set(run, requests);
  const byCodeCase = findByCodeCase(run);
  const sameOperation = byCodeCase ? requests.filter(({ path }) => path === request.url) : requests;
  const replies = byCodeCase ? byCodeCase.replies[operationOf(request.url ?? "")] : findHttpCase(run).replies;
  if (!replies) throw new Error(`No reply is defined for ${request.url}.`);
  sendReply(
    response,
    replies[Math.min(sameOperation.length, replies.length) - 1] ?? {},
    requests.at(-1),
    run,
  );
}

/** Returns the name of an operation, such as `pay` for the path `/ams/api/v1/payments/pay`. */
const operationOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function findByCodeCase(run: string): ByCodeCase | undefined {
  return byCode.cases.find(({ id }) => id === run.split("/")[1]);
}

/** Finds the case of a run, whose id is `<client>/<case>/<unique part>`. */
function findHttpCase(run: string): HttpCase {
  const found = http.cases.find(({ id }) => id === run.split("/")[1]);
  if (!found) throw new Error(`Unknown case of the run ${run}.`);
  return found;
}

function sendReply(
  response: ServerResponse,
  script: Reply,
  request: ReceivedRequest | undefined,
  run: string,
): void {
  if (script.do === "hang" || !request) return;
  if (script.do === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const body = buildBody(script, run);
  const headers = { ...signatureHeaders(script, request, body), ...script.headers };
  const headerList = Object.entries({ "content-type": "application/json;charset=UTF-8", ...headers });
  const sentBody = script.sign === "tampered" ? Buffer.from(`${body.toString("utf8")} `) : body;
  response.writeHead(script.http ?? 200, {
    ...Object.fromEntries(
      headerList.map(([name, value]) => [script.headerCase ? toTitleCase(name) : name, value]),
    ),
    ...(script.do !== "endless" && { "content-length": sentBody.length }),
  });
  if (script.do === "endless") {
    sendEndlessBody(response, sentBody);
    return;
  }
  if (script.do === undefined) {
    response.end(sentBody);
    return;
  }
  response.write(sentBody.subarray(0, sentBody.length >> 1), () => {
    if (script.do === "truncate") response.socket?.destroy();
  });
}

/**
 * The size of the endless response. It is far above the size limit, so a client must stop reading and close
 * the connection.
 */
const endlessBytes = 256 * 1024 * 1024;
const blankChunk = Buffer.alloc(64 * 1024, " ");

function sendEndlessBody(response: ServerResponse, body: Buffer): void {
  let sentBytes = 0;
  const sendChunks = (): void => {
    for (; sentBytes < endlessBytes && !response.destroyed; sentBytes += blankChunk.length)
      if (!response.write(blankChunk)) return void response.once("drain", sendChunks);
    response.end(body);
  };
  sendChunks();
}

function buildBody({ raw, code, status, more, padBytes }: Reply, run: string): Buffer {
  if (raw !== undefined) return Buffer.from(raw);
  const result = { resultCode: code, resultStatus: status, resultMessage: "as scripted." };
  const padding = padBytes === undefined ? {} : { padding: "x".repeat(padBytes) };
  return Buffer.from(JSON.stringify({ result, ...more, ...padding }).replaceAll("{run}", run));
}

/**
 * The times of responses by name, in minutes from the current time. Clients accept ten minutes, which allows
 * for network delay and clock skew.
 */
const clockOffsetMinutes: Readonly<Record<string, number>> = {
  old: -9,
  stale: -11,
  "of-another-year": -525_600,
  ahead: 9,
  "too-far-ahead": 11,
};

function signatureHeaders(
  { sign: signing = "right" }: Reply,
  request: ReceivedRequest,
  body: Buffer,
): Record<string, string> {
  const signedAtMs = Date.now() + (clockOffsetMinutes[signing] ?? 0) * 60_000;
  const time = signing === "bad-time" ? "soon" : `${new Date(signedAtMs).toISOString().slice(0, 19)}+00:00`;
  if (signing === "none") return {};
  if (signing === "only-time") return { "response-time": time };
  const requestClientId = String(request.headers["client-id"]);
  const clientId = signing === "other-client" ? "5YOTHER0000000000" : requestClientId;
  const path = signing === "other-path" ? "/ams/api/v1/payments/other" : request.path;
  const keys: Readonly<Record<string, string>> = {
    "version-2": "gateway_v2",
    "other-key": "other",
    "merchant-key": "merchant",
  };
  const der = Buffer.from(findKeyPair(keys[signing] ?? "gateway_v1").privatePkcs8, "base64");
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const text = Buffer.concat([Buffer.from(`POST ${path}\n${clientId}.${time}.`), body]);
  const value = encodeURIComponent(sign("sha256", text, key).toString("base64"));
  const version = /^version-(\d)$/.exec(signing)?.[1] ?? "1";
  const algorithm = signing === "algorithm-none" ? "none" : "RSA256";
  return {
    signature: `algorithm=${algorithm},keyVersion=${version},signature=${value}`,
    ...(signing !== "no-time" && { "response-time": time }),
    "client-id": clientId,
    "request-id": `trace-${request.atMs}`,
  };
}

const toTitleCase = (name: string): string =>
  name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());

interface RequestReport {
  readonly attempts: number;
  readonly problems: readonly string[];
}

function reportOnHttpCase(
  { operation, clientId, expect }: HttpCase,
  requests: readonly ReceivedRequest[],
): RequestReport {
  const path = expect.path ?? `/ams/api/v1/${operation}`;
  const expected = {
    path,
    clientId: clientId ?? http.clientId,
    expectedHeaders: expect.sent ?? {},
    clockOffsetMsMax: 60_000,
  };
  const problems = [
    ...requests.flatMap((each) => findRequestProblems(each, expected)),
    ...findRepetitionProblems(requests),
  ];
  const [first, second] = requests;
  if (expect.waitMs !== undefined && first && second && second.atMs - first.atMs < expect.waitMs) {
    problems.push(`The retry came after ${Math.round(second.atMs - first.atMs)} ms.`);
  }
  return { attempts: requests.length, problems };
}

/**
 * Repeated requests must have the same bytes. The times of the requests are not checked, because the clocks
 * of these cases jump forward.
 */
function reportOnByCodeCase(
  requests: readonly ReceivedRequest[],
): Pick<RequestReport, "problems"> & { readonly calls: string[] } {
  const calls = requests.map(({ path }) => operationOf(path));
  const problems = [...new Set(calls)].flatMap((operation) => {
    const sameOperation = requests.filter((each) => operationOf(each.path) === operation);
    const path = `/ams/api/v1/payments/${operation}`;
    const expected = { path, clientId: http.clientId, expectedHeaders: {}, clockOffsetMsMax: 600_000 };
    return [
      ...sameOperation.flatMap((each) => findRequestProblems(each, expected)),
      ...findRepetitionProblems(sameOperation),
    ];
  });
  return { calls, problems };
}

interface ExpectedRequest {
  readonly path: string;
  readonly clientId: string;
  readonly expectedHeaders: Readonly<Record<string, string>>;
  readonly clockOffsetMsMax: number;
}

function findRequestProblems({ path, headers, body }: ReceivedRequest, expected: ExpectedRequest): string[] {
  const problems = [];
  if (path !== expected.path) problems.push(`It called ${path}.`);
  if (headers["client-id"] !== expected.clientId) problems.push("The client id is wrong.");
  if (!headers["content-type"]?.startsWith("application/json"))
    problems.push("The content type is not JSON.");
  if (!/^tollgate-[a-z]+\/\d/.test(headers["user-agent"] ?? "")) problems.push("The user agent is missing.");
  for (const [name, value] of Object.entries(expected.expectedHeaders)) {
    if (headers[name] !== value) problems.push(`The header ${name} is ${String(headers[name])}.`);
  }
  const time = String(headers["request-time"]);
  const timeMs = /^\d{13}$/.test(time) ? Number(time) : Date.parse(time);
  if (!(Math.abs(Date.now() - timeMs) < expected.clockOffsetMsMax)) problems.push(`Its time is ${time}.`);
  if (!isSigned(path, headers, body)) problems.push("The signature is invalid.");
  return problems;
}

function isSigned(path: string, headers: IncomingMessage["headers"], body: Buffer): boolean {
  const headerPattern = new RegExp(
    `^algorithm=RSA256,keyVersion=${http.keyVersion},signature=([A-Za-z0-9%]+)$`,
  );
  const value = headerPattern.exec(String(headers["signature"]))?.[1];
  if (value === undefined) return false;
  const der = Buffer.from(findKeyPair(http.key).publicSpki, "base64");
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  const start = `POST ${path}\n${String(headers["client-id"])}.${String(headers["request-time"])}.`;
  const signature = Buffer.from(decodeURIComponent(value), "base64");
  return verify("sha256", Buffer.concat([Buffer.from(start), body]), key, signature);
}

/**
 * Returns the problems in the attempts of one call. Each attempt must repeat the body of the attempt before
 * it, with a new time and a new signature.
 */
function findRepetitionProblems(requests: readonly ReceivedRequest[]): string[] {
  const problems = [];
  if (new Set(requests.map(({ body }) => body.toString("base64"))).size > 1)
    problems.push("The body has changed.");
  for (const name of ["request-time", "signature"]) {
    const values = new Set(requests.map(({ headers }) => headers[name]));
    if (values.size < requests.length) problems.push(`Two attempts have the same ${name}.`);
  }
  return problems;
}
