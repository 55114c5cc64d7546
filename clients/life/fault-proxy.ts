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
  const pendingFaults: Fault[] = [];
  const server = createServer((request, response) => {
    void handle(gatewayUrl, request, response, pendingFaults);
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
  pendingFaults: Fault[],
): Promise<void> {
  const body = await readBody(request);
  if (request.url !== "/fault") {
    forward(gatewayUrl, request, body, response, pendingFaults.shift());
    return;
  }
  const { kind, count = 1 } = JSON.parse(body.toString("utf8")) as { kind: Fault; count?: number };
  pendingFaults.splice(0, pendingFaults.length, ...Array.from({ length: count }, () => kind));
  response.end();
}

function forward(
  gatewayUrl: string,
  { url = "", method, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  const gatewayRequest = send(
    new URL(url, gatewayUrl),
    { method, headers, agent: false },
    (gatewayResponse) => {
      void readBody(gatewayResponse).then((gatewayBody) =>
        sendFaultyResponse(gatewayResponse, gatewayBody, response, fault),
      );
    },
  );
  gatewayRequest.once("error", () => response.socket?.destroy());
  gatewayRequest.end(body);
}

function sendFaultyResponse(
  gatewayResponse: IncomingMessage,
  gatewayBody: Buffer,
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
  response.writeHead(gatewayResponse.statusCode ?? 0, gatewayResponse.headers);
  if (fault === "truncate")
    response.write(gatewayBody.subarray(0, gatewayBody.length >> 1), () => response.socket?.destroy());
  else response.end(fault === "tamper" ? tamperBody(gatewayBody) : gatewayBody);
}

/** Changes one character of the result. */
function tamperBody(gatewayBody: Buffer): Buffer {
  return Buffer.from(gatewayBody.toString("utf8").replace(/"resultStatus":"."/, '"resultStatus":"X"'));
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
