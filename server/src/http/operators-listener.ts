import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Meter } from "../core/meter.ts";
import type { Health, Told } from "./health.ts";

export interface OperatorsListener {
  readonly url: string;
  close(): Promise<void>;
}

export interface OperatorsListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly meter: Meter;
  readonly health: Health;
}

/**
 * Metrics and health on a port of their own: what they tell is for the operator, and a process that refuses merchants for
 * want of places still has to say so.
 */
export async function listenForOperators(options: OperatorsListenerOptions): Promise<OperatorsListener> {
  const { host, port, meter, health } = options;
  const pages: Readonly<Record<string, () => Page>> = {
    "/metrics": () => ({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: meter.text() }),
    "/livez": () => pageOf(health.live()),
    "/readyz": () => pageOf(health.ready()),
  };
  const server = createServer((request, response) => {
    const page = pages[request.url?.split("?")[0] ?? ""];
    const { status, type, body } = page?.() ?? { status: 404, type: "text/plain", body: "No such page.\n" };
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
    response.end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function pageOf({ isWell, ...told }: Told): Page {
  return {
    status: isWell ? 200 : 503,
    type: "application/json; charset=utf-8",
    body: `${JSON.stringify(told)}\n`,
  };
}
