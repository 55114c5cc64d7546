import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Meter } from "../../telemetry/meter.ts";
import type { Health, HealthReport } from "./health.ts";
import { isLoopbackHost } from "./loopback.ts";

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
 * Serves metrics and health on a separate port for the operator. A process that rejects merchants under overload can
 * still report its state on this port. On loopback, the server rejects a Host header that names another machine: a web
 * page could otherwise read the port through its own host name (DNS rebinding). On other addresses Prometheus may use
 * any name.
 */
export async function listenForOperators(options: OperatorsListenerOptions): Promise<OperatorsListener> {
  const { host, port, meter, health } = options;
  const pages: Readonly<Record<string, () => Page>> = {
    "/metrics": () => ({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: meter.text() }),
    "/livez": () => healthPage(health.live()),
    "/readyz": () => healthPage(health.ready()),
  };
  const isOnLoopback = isLoopbackHost(host);
  const server = createServer((request, response) => {
    if (isOnLoopback && !isLoopbackHost(hostNameOf(request.headers.host))) {
      response.writeHead(421, { "content-type": "text/plain" });
      response.end("On loopback this port accepts only the Host names of this machine.\n");
      return;
    }
    const page = pages[request.url?.split("?")[0] ?? ""];
    const { status, type, body } = page?.() ?? { status: 404, type: "text/plain", body: "No such page.\n" };
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
    response.end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  const urlHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${urlHost}:${boundPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The host name of a Host header, without port. */
function hostNameOf(header = ""): string {
  return header.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function healthPage({ isWell, ...report }: HealthReport): Page {
  return {
    status: isWell ? 200 : 503,
    type: "application/json; charset=utf-8",
    body: `${JSON.stringify(report)}\n`,
  };
}
