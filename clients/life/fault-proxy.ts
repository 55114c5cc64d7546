import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A proxy between a client and the gateway. The gateway always receives the request, but the response may be
 * lost or changed.
 */
export interface FaultProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** The fault that the proxy applies to the gateway's response. */
export type Fault = "reset" | "hang" | "status-500" | "truncate" | "tamper";

/** `POST /fault` with `{"kind":"reset","count":1}` breaks the next responses. */
export async function startFaultProxy(gatewayUrl: string): Promise<FaultProxy> {
  const ordered: Fault[] = [];
  const server = createServer((request, response) => {
    void handle(gatewayUrl, request, response, ordered);
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
  gatewayUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  ordered: Fault[],
): Promise<void> {
  const body = await bodyOf(request);
  if (request.url !== "/fault") {
    forward(gatewayUrl, request, body, response, ordered.shift());
    return;
  }
  const { kind, count = 1 } = JSON.parse(body.toString("utf8")) as { kind: Fault; count?: number };
  ordered.splice(0, ordered.length, ...Array.from({ length: count }, () => kind));
  response.end();
}

function forward(
  gatewayUrl: string,
  { url = "", method, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  const onward = send(new URL(url, gatewayUrl), { method, headers, agent: false }, (said) => {
    void bodyOf(said).then((bytes) => pass(said, bytes, response, fault));
  });
  onward.once("error", () => response.socket?.destroy());
  onward.end(body);
}

function pass(
  answer: IncomingMessage,
  bytes: Buffer,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  if (fault === "hang") return;
  if (fault === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (fault === "status-500") {
    response.writeHead(500, { "content-type": "text/plain" }).end("Something broke.");
    return;
  }
  response.writeHead(answer.statusCode ?? 0, answer.headers);
  if (fault === "truncate")
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
  else response.end(fault === "tamper" ? tampered(bytes) : bytes);
}

/** Changes one character of the result. */
function tampered(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("utf8").replace(/"resultStatus":"."/, '"resultStatus":"X"'));
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
