import { request as httpRequest } from "node:http";
import { connect as netConnect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { forbiddenReason, parseIpAddress } from "./ip-address.ts";
import type { Destination } from "./destination.ts";
import type { ResolveName } from "./resolve-name.ts";
import type { Timings } from "../notifications/delivery-attempt.ts";
import { connectMsMax, type DeliveryFailure } from "./delivery-outcome.ts";

export interface ConnectionRules {
  readonly allowsLoopback: boolean;
  readonly resolveName: ResolveName;
  /**
   * The operator's proxy: the only destination that may be in the gateway's own network. The proxy resolves names, and
   * checks their addresses.
   */
  readonly proxy: URL | undefined;
}

export class ConnectionFailed extends Error {
  readonly failure: DeliveryFailure;

  constructor(failure: DeliveryFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** Filled while a connection is opened. */
export type ConnectionProgress = { -readonly [Name in keyof Timings]: Timings[Name] } & {
  readonly startedMs: number;
};

/** Number of addresses of one name to which the gateway tries to connect. */
const addressesMax = 4;

/**
 * SSRF guard: opens a connection after checking every address of the destination. The connection goes to a checked
 * address, not to the name (DNS rebinding). The peer is checked again before anything is sent.
 */
export async function connect(
  destination: Destination,
  rules: ConnectionRules,
  progress: ConnectionProgress,
  startTls: (socket: Socket) => TLSSocket,
): Promise<Socket> {
  const deadlineMs = progress.startedMs + connectMsMax;
  const addresses = rules.proxy ? [] : await resolveAllowedAddresses(destination, rules, progress);
  const socket = rules.proxy
    ? await openProxyTunnel(rules.proxy, destination, deadlineMs)
    : await connectToFirstReachable(addresses, destination.port, deadlineMs);
  progress.connectMs = performance.now() - progress.startedMs;
  if (!rules.proxy) verifyPeer(socket, addresses, rules);
  if (!destination.isSecure) return socket;

  const tlsSocket = startTls(socket);
  await waitUntilOpen(tlsSocket, "secureConnect", { failure: "tls", deadlineMs });
  progress.tlsMs = performance.now() - progress.startedMs;
  return tlsSocket;
}

/**
 * Checks all addresses of a name. One forbidden address rejects the whole name, so that no merchant's name leads into a
 * private network.
 */
async function resolveAllowedAddresses(
  { host, addresses }: Destination,
  { resolveName, allowsLoopback }: ConnectionRules,
  progress: ConnectionProgress,
): Promise<readonly string[]> {
  if (addresses) return addresses;
  const resolved = await resolveName(host).catch((cause: unknown) => {
    throw new ConnectionFailed("no address", String(cause));
  });
  progress.dnsMs = performance.now() - progress.startedMs;
  for (const text of resolved) {
    const reason = findBlockReason(text, allowsLoopback);
    if (reason) throw new ConnectionFailed("blocked", `${host} has the address ${text}: ${reason}`);
  }
  return interleaveFamilies(resolved).slice(0, addressesMax);
}

function findBlockReason(text: string, allowsLoopback: boolean): string | undefined {
  const address = parseIpAddress(text);
  return address ? forbiddenReason(address, { allowsLoopback }) : "not an address";
}

/**
 * Alternates IPv4 and IPv6 addresses, so that a protocol that does not work on this machine does not use up all tries.
 */
function interleaveFamilies(addresses: readonly string[]): string[] {
  const [ipv6, ipv4] = [true, false].map((isIpv6) =>
    addresses.filter((text) => text.includes(":") === isIpv6),
  );
  return addresses.flatMap((_, at) => [ipv4?.[at], ipv6?.[at]].filter((text) => text !== undefined));
}

async function connectToFirstReachable(
  addresses: readonly string[],
  port: number,
  deadlineMs: number,
): Promise<Socket> {
  let lastFailure = new ConnectionFailed("no address", "There is no address.");
  for (const [at, host] of addresses.entries()) {
    const nowMs = performance.now();
    const socket = netConnect({ host, port, noDelay: true });
    const timeLimit = {
      failure: "no connection",
      deadlineMs: nowMs + (deadlineMs - nowMs) / (addresses.length - at),
    } as const;
    try {
      return await waitUntilOpen(socket, "connect", timeLimit);
    } catch (cause) {
      lastFailure = cause as ConnectionFailed;
    }
  }
  throw lastFailure;
}

/** Defence in depth: checks the peer's address again. It never fails while the earlier checks are right. */
function verifyPeer(socket: Socket, addresses: readonly string[], { allowsLoopback }: ConnectionRules): void {
  const peer = socket.remoteAddress ?? "";
  const reason =
    findBlockReason(peer, allowsLoopback) ?? (addresses.includes(peer) ? undefined : "not a checked address");
  if (reason === undefined) return;
  socket.destroy();
  throw new ConnectionFailed("blocked", `The peer is ${peer}: ${reason}`);
}

/**
 * Opens a tunnel with CONNECT through the proxy, for both schemes: the proxy forwards one stream of bytes to the given
 * name.
 */
function openProxyTunnel(proxy: URL, { host, port }: Destination, deadlineMs: number): Promise<Socket> {
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const credentials = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const authorization = { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
  return new Promise((resolve, reject) => {
    const connectRequest = httpRequest({
      method: "CONNECT",
      host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: proxy.port || 80,
      path,
      agent: false,
      headers: { host: path, ...(proxy.username === "" ? {} : authorization) },
    });
    const fail = (message: string): void => {
      connectRequest.destroy();
      reject(new ConnectionFailed("no connection", `The proxy: ${message}`));
    };
    const timer = setTimeout(() => fail("no answer"), deadlineMs - performance.now());
    connectRequest.on("error", ({ message }) => fail(message));
    connectRequest.on("response", ({ statusCode }) => fail(`HTTP ${statusCode}`));
    connectRequest.on("connect", ({ statusCode }, socket, head) => {
      if (statusCode !== 200 || head.length > 0) return fail(`HTTP ${statusCode}`);
      resolve(socket);
    });
    connectRequest.on("close", () => clearTimeout(timer));
    connectRequest.end();
  });
}

/** Resolves to the socket once it is open. A failure or a missed deadline destroys the socket. */
function waitUntilOpen<OpenSocket extends Socket>(
  socket: OpenSocket,
  event: "connect" | "secureConnect",
  { failure, deadlineMs }: { readonly failure: DeliveryFailure; readonly deadlineMs: number },
): Promise<OpenSocket> {
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new ConnectionFailed(failure, message));
    };
    const onError = (cause: Error): void => fail(cause.message);
    const onClose = (): void => fail("The connection was closed.");
    const timer = setTimeout(() => fail("It took too long."), deadlineMs - performance.now());
    socket.on("error", onError);
    socket.on("close", onClose);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off("error", onError);
      socket.off("close", onClose);
      resolve(socket);
    });
  });
}
