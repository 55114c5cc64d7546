import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { openEgress } from "../../src/egress/egress.ts";
import { openResolver } from "../../src/egress/resolve-name.ts";
import { told } from "../../src/egress/delivery-outcome.ts";
import {
  answerQuestion,
  closedPort,
  honest,
  merchant,
  redirects,
  tricks,
  type Trick,
} from "./egress-tricks.ts";
import { startHostileDns } from "./hostile-dns.ts";
import { newTestCertificate } from "../start/test-certificate.ts";

/**
 * This program tries all SSRF tricks, and writes the results to standard output. It runs in a network namespace in
 * which every address belongs to it, so it sees every connection to any address.
 */
export interface Tried {
  readonly trick: Trick;
  /** The error that the merchant sees, for each attempt. */
  readonly told: readonly string[];
  readonly failures: readonly string[];
  readonly details: readonly string[];
}

export interface Report {
  readonly tried: readonly Tried[];
  readonly honest: readonly Tried[];
  readonly redirects: readonly Tried[];
  /** Forbidden addresses that received a connection. */
  readonly forbidden: readonly string[];
  readonly merchantConnections: number;
  readonly secondPlaces: number;
}

const dnsPort = 5300;
const ports = [22, 25, 53, 80, 443, 5432, 6379, 8080, 8443, 9200, 65535];

for (const words of ["link set lo up", "route add local 0.0.0.0/0 dev lo", "-6 route add local ::/0 dev lo"])
  execFileSync("ip", words.split(" "));

const forbidden: string[] = [];
let [merchantConnections, secondPlaces] = [0, 0];
const certificate = await newTestCertificate(`DNS:*.shop.example,IP:${merchant.ipv4},IP:${merchant.ipv6}`);

/** The merchant's server closes each connection, so that the gateway resolves the name again for each message. */
const answer: RequestListener = ({ url = "" }, outgoing) => {
  const query = new URL(url, "http://merchant").searchParams;
  if (url === "/second") secondPlaces += 1;
  const location = query.get("to");
  outgoing.writeHead(Number(query.get("status") ?? 200), {
    connection: "close",
    ...(location && { location }),
  });
  outgoing.end('{"result":{"resultStatus":"S"}}');
};
const plain = createHttpServer(answer);
const secure = createHttpsServer(certificate, answer);

for (const port of ports) {
  const server = createServer((socket) => {
    const address = (socket.localAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
    socket.on("error", () => undefined);
    if (address === merchant.ipv4 || address === merchant.ipv6) {
      merchantConnections += 1;
      (port === 80 ? plain : secure).emit("connection", socket);
    } else {
      forbidden.push(`${address} port ${port}`);
      socket.destroy();
    }
  });
  server.listen(port, "::");
  await once(server, "listening");
}
await startHostileDns(dnsPort, answerQuestion);

const resolveName = openResolver([`127.0.0.1:${dnsPort}`]);
const rules = { ports: [closedPort], resolveName, certificateAuthority: certificate.cert };
const egress = {
  live: openEgress({ ...rules, environment: "live", allowsLoopback: false }),
  sandbox: openEgress({ ...rules, environment: "sandbox", allowsLoopback: true }),
};

async function tryOut(trick: Trick): Promise<Tried> {
  const tried = { trick, told: [] as string[], failures: [] as string[], details: [] as string[] };
  for (let time = 0; time < (trick.times ?? 1); time++) {
    const message = { headers: {}, body: Buffer.from("{}"), signal: AbortSignal.timeout(10_000) };
    const sent = await egress[trick.environment].post(trick.url, message);
    const { timings, ...rest } = told(sent);
    tried.told.push(JSON.stringify(sent.httpStatus === 0 ? { ...rest, timings } : rest));
    tried.failures.push(sent.failure ?? String(sent.httpStatus));
    tried.details.push(sent.detail ?? "");
  }
  return tried;
}

/** Limited concurrency: more queries than a name server can answer would look like names that do not exist. */
async function tryAll(all: readonly Trick[]): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (let at = 0; at < all.length; at += 25)
    tried.push(...(await Promise.all(all.slice(at, at + 25).map(tryOut))));
  return tried;
}

const report: Report = {
  tried: await tryAll(tricks),
  honest: await tryAll(honest),
  redirects: await tryAll(redirects),
  forbidden,
  merchantConnections,
  secondPlaces,
};
process.stdout.write(JSON.stringify(report), () => process.exit());
