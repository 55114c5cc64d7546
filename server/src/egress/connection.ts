import { request as httpRequest } from "node:http";
import { connect as netConnect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { forbiddenBecause, readAddress } from "./address.ts";
import type { Destination } from "./destination.ts";
import type { ResolveName } from "./resolve-name.ts";
import type { Timings } from "../notifications/attempt.ts";
import { connectMsMax, type Failure } from "./delivery-outcome.ts";

export interface ConnectionRules {
  readonly allowsLoopback: boolean;
  readonly resolveName: ResolveName;
  /**
   * The operator's proxy: the only destination that may be in the gateway's own network. The proxy resolves names, and
   * checks their addresses.
   */
  readonly proxy: URL | undefined;
}

export class NotConnected extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** Filled while a connection is opened. */
export type Progress = { -readonly [Name in keyof Timings]: Timings[Name] } & { readonly startedMs: number };

/** Number of addresses of one name to which the gateway tries to connect. */
const triesMax = 4;

/**
 * SSRF guard: opens a connection after checking every address of the destination. The connection goes to a checked
 * address, not to the name (DNS rebinding). The peer is checked again before anything is sent.
 */
export async function connect(
  destination: Destination,
  rules: ConnectionRules,
  progress: Progress,
  secure: (socket: Socket) => TLSSocket,
): Promise<Socket> {
  const deadlineMs = progress.startedMs + connectMsMax;
  const addresses = rules.proxy ? [] : await judgedAddresses(destination, rules, progress);
  const socket = rules.proxy
    ? await tunnel(rules.proxy, destination, deadlineMs)
    : await connectToOne(addresses, destination.port, deadlineMs);
  progress.connectMs = performance.now() - progress.startedMs;
  if (!rules.proxy) refusePeer(socket, addresses, rules);
  if (!destination.isSecure) return socket;

  const secured = secure(socket);
  await opened(secured, "secureConnect", { failure: "tls", deadlineMs });
  progress.tlsMs = performance.now() - progress.startedMs;
  return secured;
}

/**
 * Checks all addresses of a name. One forbidden address rejects the whole name, so that no merchant's name leads into a
 * private network.
 */
async function judgedAddresses(
  { host, addresses }: Destination,
  { resolveName, allowsLoopback }: ConnectionRules,
  progress: Progress,
): Promise<readonly string[]> {
  if (addresses) return addresses;
  const found = await resolveName(host).catch((cause: unknown) => {
    throw new NotConnected("no address", String(cause));
  });
  progress.dnsMs = performance.now() - progress.startedMs;
  for (const text of found) {
    const because = judge(text, allowsLoopback);
    if (because) throw new NotConnected("blocked", `${host} has the address ${text}: ${because}`);
  }
  return inTurns(found).slice(0, triesMax);
}

function judge(text: string, allowsLoopback: boolean): string | undefined {
  const address = readAddress(text);
  return address ? forbiddenBecause(address, { allowsLoopback }) : "not an address";
}

/**
 * Alternates IPv4 and IPv6 addresses, so that a protocol that does not work on this machine does not use up all tries.
 */
function inTurns(addresses: readonly string[]): string[] {
  const [ipv6, ipv4] = [true, false].map((is) => addresses.filter((text) => text.includes(":") === is));
  return addresses.flatMap((_, at) => [ipv4?.[at], ipv6?.[at]].filter((text) => text !== undefined));
}

async function connectToOne(addresses: readonly string[], port: number, deadlineMs: number): Promise<Socket> {
  let failed = new NotConnected("no address", "There is no address.");
  for (const [at, host] of addresses.entries()) {
    const nowMs = performance.now();
    const socket = netConnect({ host, port, noDelay: true });
    const share = {
      failure: "no connection",
      deadlineMs: nowMs + (deadlineMs - nowMs) / (addresses.length - at),
    } as const;
    try {
      return await opened(socket, "connect", share);
    } catch (cause) {
      failed = cause as NotConnected;
    }
  }
  throw failed;
}

/** Defence in depth: checks the peer's address again. It never fails while the earlier checks are right. */
function refusePeer(socket: Socket, addresses: readonly string[], { allowsLoopback }: ConnectionRules): void {
  const peer = socket.remoteAddress ?? "";
  const because =
    judge(peer, allowsLoopback) ?? (addresses.includes(peer) ? undefined : "not the address judged");
  if (because === undefined) return;
  socket.destroy();
  throw new NotConnected("blocked", `The peer is ${peer}: ${because}`);
}

/**
 * Opens a tunnel with CONNECT through the proxy, for both schemes: the proxy forwards one stream of bytes to the given
 * name.
 */
function tunnel(proxy: URL, { host, port }: Destination, deadlineMs: number): Promise<Socket> {
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const account = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const authorization = { "proxy-authorization": `Basic ${Buffer.from(account).toString("base64")}` };
  return new Promise((resolve, reject) => {
    const asking = httpRequest({
      method: "CONNECT",
      host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: proxy.port || 80,
      path,
      agent: false,
      headers: { host: path, ...(proxy.username === "" ? {} : authorization) },
    });
    const fail = (message: string): void => {
      asking.destroy();
      reject(new NotConnected("no connection", `The proxy: ${message}`));
    };
    const timer = setTimeout(() => fail("no answer"), deadlineMs - performance.now());
    asking.on("error", ({ message }) => fail(message));
    asking.on("response", ({ statusCode }) => fail(`HTTP ${statusCode}`));
    asking.on("connect", ({ statusCode }, socket, head) => {
      if (statusCode !== 200 || head.length > 0) return fail(`HTTP ${statusCode}`);
      resolve(socket);
    });
    asking.on("close", () => clearTimeout(timer));
    asking.end();
  });
}

/** Resolves to the socket once it is open. A failure or a missed deadline destroys the socket. */
function opened<Opening extends Socket>(
  socket: Opening,
  event: "connect" | "secureConnect",
  { failure, deadlineMs }: { readonly failure: Failure; readonly deadlineMs: number },
): Promise<Opening> {
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new NotConnected(failure, message));
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
