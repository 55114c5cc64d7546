import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { openEgress } from "../../src/egress/egress.ts";
import { openResolver } from "../../src/egress/resolve-name.ts";
import { hideNetworkDetails } from "../../src/egress/delivery-outcome.ts";
import {
  answerQuestion,
  closedPort,
  allowedRequests,
  merchantAddresses,
  redirectAttempts,
  ssrfAttempts,
  type SsrfAttempt,
} from "./ssrf-attempts.ts";
import { startHostileDns } from "./hostile-dns.ts";
import { createTestCertificate } from "../start/test-certificate.ts";

/**
 * This program tries all SSRF tricks, and writes the results to standard output. It runs in a network namespace in
 * which every address belongs to it, so it sees every connection to any address.
 */
export interface AttemptResult {
  readonly trick: SsrfAttempt;
  /** The error that the merchant sees, for each attempt. */
  readonly reportedErrors: readonly string[];
  readonly failures: readonly string[];
  readonly details: readonly string[];
}

export interface Report {
  readonly tried: readonly AttemptResult[];
  readonly honest: readonly AttemptResult[];
  readonly redirects: readonly AttemptResult[];
  /** Forbidden addresses that received a connection. */
  readonly forbidden: readonly string[];
  readonly merchantConnections: number;
  readonly redirectTargetHits: number;
}

const dnsPort = 5300;
const ports = [22, 25, 53, 80, 443, 5432, 6379, 8080, 8443, 9200, 65535];

for (const words of ["link set lo up", "route add local 0.0.0.0/0 dev lo", "-6 route add local ::/0 dev lo"])
  execFileSync("ip", words.split(" "));

const forbidden: string[] = [];
let [merchantConnections, redirectTargetHits] = [0, 0];
const certificate = await createTestCertificate(
  `DNS:*.shop.example,IP:${merchantAddresses.ipv4},IP:${merchantAddresses.ipv6}`,
);

/** The merchant's server closes each connection, so that the gateway resolves the name again for each message. */
const answer: RequestListener = ({ url = "" }, outgoing) => {
  const query = new URL(url, "http://merchant").searchParams;
  if (url === "/second") redirectTargetHits += 1;
  const location = query.get("to");
  outgoing.writeHead(Number(query.get("status") ?? 200), {
    connection: "close",
    ...(location && { location }),
  });
  outgoing.end('{"result":{"resultStatus":"S"}}');
};
const httpServer = createHttpServer(answer);
const httpsServer = createHttpsServer(certificate, answer);

for (const port of ports) {
  const server = createServer((socket) => {
    const address = (socket.localAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
    socket.on("error", () => undefined);
    if (address === merchantAddresses.ipv4 || address === merchantAddresses.ipv6) {
      merchantConnections += 1;
      (port === 80 ? httpServer : httpsServer).emit("connection", socket);
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

async function runAttempt(trick: SsrfAttempt): Promise<AttemptResult> {
  const result = { trick, reportedErrors: [] as string[], failures: [] as string[], details: [] as string[] };
  for (let time = 0; time < (trick.times ?? 1); time++) {
    const message = { headers: {}, body: Buffer.from("{}"), signal: AbortSignal.timeout(10_000) };
    const sent = await egress[trick.environment].post(trick.url, message);
    const { timings, ...rest } = hideNetworkDetails(sent);
    result.reportedErrors.push(JSON.stringify(sent.httpStatus === 0 ? { ...rest, timings } : rest));
    result.failures.push(sent.failure ?? String(sent.httpStatus));
    result.details.push(sent.detail ?? "");
  }
  return result;
}

/** Limited concurrency: more queries than a name server can answer would look like names that do not exist. */
async function runAttempts(all: readonly SsrfAttempt[]): Promise<AttemptResult[]> {
  const results: AttemptResult[] = [];
  for (let at = 0; at < all.length; at += 25)
    results.push(...(await Promise.all(all.slice(at, at + 25).map(runAttempt))));
  return results;
}

const report: Report = {
  tried: await runAttempts(ssrfAttempts),
  honest: await runAttempts(allowedRequests),
  redirects: await runAttempts(redirectAttempts),
  forbidden,
  merchantConnections,
  redirectTargetHits,
};
process.stdout.write(JSON.stringify(report), () => process.exit());
