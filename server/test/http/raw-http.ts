import { connect, type Socket } from "node:net";
import type { ReceivedAnswer } from "../start/test-gateway.ts";

export interface Exchange {
  readonly answers: readonly ReceivedAnswer[];
  /** Whether the server closed the connection. */
  readonly closed: boolean;
}

export interface ExchangeOptions {
  /** Number of responses to wait for before the client closes the connection. */
  readonly answerCount?: number;
  /** Ends the sending side directly after the bytes (half-close). */
  readonly halfClose?: boolean;
  readonly timeoutMs?: number;
}

export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The bytes of a request exactly as given: not validated, ordered or completed. */
export function rawRequest(firstLine: string, headers: HeaderLines, body: string | Buffer = ""): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`${firstLine}\r\n${lines}\r\n`, "latin1"), Buffer.from(body)]);
}

/** Sends bytes over a new connection, and reads until there are enough responses or the server closes it. */
export async function exchangeBytes(
  url: string,
  bytes: Buffer,
  { answerCount = 1, halfClose = false, timeoutMs = 15_000 }: ExchangeOptions = {},
): Promise<Exchange> {
  const socket = await openSocket(url);
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const timer = setTimeout(
      () => finish(false, new Error(`No response within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const finish = (closed: boolean, error?: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve({ answers: parseResponses(received).answers, closed });
    };
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (parseResponses(received).answers.length >= answerCount) finish(false);
    });
    socket.on("end", () => finish(true));
    // A reset also ends the connection.
    socket.on("close", () => finish(true));
    socket.write(bytes);
    if (halfClose) socket.end();
  });
}

/** `openSocket` opens a raw TCP connection. It treats a reset as the end of the connection, and not as an error. */
export async function openSocket(url: string, localAddress = "127.0.0.1"): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}

/** The complete responses, and the bytes after them. Interim responses such as 100 are left out. */
export function parseResponses(bytes: Buffer): {
  readonly answers: readonly ReceivedAnswer[];
  readonly rest: Buffer;
} {
  const answers: ReceivedAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd === -1) return { answers, rest };
    const [statusLine = "", ...lines] = rest.toString("latin1", 0, headEnd).split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    const headerPairs = lines.map(nameAndValue);
    const headers = Object.fromEntries(headerPairs.map(([name, value]) => [name.toLowerCase(), value]));
    const bodyEnd = headEnd + 4 + Number(headers["content-length"] ?? 0);
    if (rest.length < bodyEnd) return { answers, rest };
    const text = rest.toString("utf8", headEnd + 4, bodyEnd);
    if (status >= 200)
      answers.push({ status, headers, rawHeaders: headerPairs.flat(), text, json: jsonIn(text) });
    rest = rest.subarray(bodyEnd);
  }
}

function nameAndValue(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** `jsonIn` returns an empty result for pages and for responses to malformed requests, which have none. */
function jsonIn(text: string): ReceivedAnswer["json"] {
  if (!text.startsWith('{"result":')) return { result: {} };
  return JSON.parse(text) as ReceivedAnswer["json"];
}
