import { createHmac, timingSafeEqual, type KeyObject } from "node:crypto";
import {
  Agent as HttpAgent,
  get as httpGet,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, get as httpsGet, request as httpsRequest } from "node:https";

/** The other cells of the fleet, to which calls are forwarded. */
export interface PeerCells {
  /**
   * Forwards a request unchanged and returns the other cell's response to the caller. Returns false if that cell did
   * not respond; then the caller has received nothing yet.
   */
  forward(to: ForwardTarget, message: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether another cell of the fleet has forwarded this request. The header is authenticated by a MAC. */
  isForwarded(message: IncomingMessage, path: string): boolean;
  /** Checks whether the recently used cells can be reached. It is called several times a second. */
  probe(): Promise<void>;
}

export interface ForwardTarget {
  readonly url: string;
  /** Path and query as received. */
  readonly path: string;
  readonly address: string;
}

interface Peer {
  usedAtMs: number;
  isReachable: boolean;
  readonly inFlight: Set<ClientRequest>;
}

const macHeader = "tollgate-forwarded";
export const probeIntervalMs = 300;
/** Timeout after which a cell counts as unreachable; requests to it then get "retry later". */
const probeTimeoutMs = 600;
const connectTimeoutMs = 800;
const responseTimeoutMs = 11_000;
/** Bulkhead: a slow cell must not use up all sockets of this process. */
const inFlightPerPeerMax = 512;
/**
 * Time since its last use, after which a cell is no longer probed. Only recently used cells are probed, because there
 * may be hundreds.
 */
const probedAfterUseMs = 60_000;
/** Hop-by-hop headers, which are not forwarded. */
const hopByHopHeaders = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  "expect",
];

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

export function openPeerCells(key: KeyObject, monotonicMs: () => number): PeerCells {
  const peers = new Map<string, Peer>();

  function peerAt(url: string): Peer {
    const existing = peers.get(url);
    if (existing) return existing;
    const peer: Peer = { usedAtMs: 0, isReachable: true, inFlight: new Set() };
    peers.set(url, peer);
    return peer;
  }

  async function probePeer(url: string, peer: Peer): Promise<void> {
    peer.isReachable = await respondsToProbe(url);
    if (!peer.isReachable)
      for (const outgoing of peer.inFlight) outgoing.destroy(new Error(`${url} is silent.`));
  }

  return {
    forward(target, message, response) {
      const peer = peerAt(target.url);
      peer.usedAtMs = monotonicMs();
      const isOpen = peer.isReachable && peer.inFlight.size < inFlightPerPeerMax;
      return isOpen
        ? forwardToPeer(peer, target, message, response, macOf(key, message, target.path))
        : Promise.resolve(false);
    },
    isForwarded(message, path) {
      const received = Buffer.from(String(message.headers[macHeader] ?? ""));
      const expected = Buffer.from(macOf(key, message, path));
      return received.length === expected.length && timingSafeEqual(received, expected);
    },
    async probe() {
      const sinceMs = monotonicMs() - probedAfterUseMs;
      const recentPeers = [...peers].filter(([, { usedAtMs }]) => usedAtMs > sinceMs);
      await Promise.all(recentPeers.map(([url, peer]) => probePeer(url, peer)));
    },
  };
}

/**
 * The MAC that proves that a cell has forwarded a request. It covers the parts that identify the request. An
 * eavesdropper can only replay the MAC, which stops the same request from being forwarded again.
 */
function macOf(key: KeyObject, { method, headers }: IncomingMessage, path: string): string {
  const macInput = `${method} ${path} ${String(headers["request-time"])} ${String(headers["client-id"])}`;
  return createHmac("sha256", key).update(macInput).digest("base64url");
}

function forwardToPeer(
  peer: Peer,
  { url, path, address }: ForwardTarget,
  message: IncomingMessage,
  response: ServerResponse,
  mac: string,
): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === "https:";
  const headers = [
    ...endToEndHeaders(message.rawHeaders, [macHeader, "x-forwarded-for"]),
    macHeader,
    mac,
    "x-forwarded-for",
    address,
  ];
  return new Promise((resolve) => {
    const outgoing = (isSecure ? httpsRequest : httpRequest)({
      hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
      port,
      path,
      method: message.method,
      headers,
      agent: isSecure ? agents.https : agents.http,
      timeout: responseTimeoutMs,
    });
    peer.inFlight.add(outgoing);
    const connectTimer = setTimeout(() => {
      if (outgoing.socket === null || outgoing.socket.connecting)
        outgoing.destroy(new Error("No connection."));
    }, connectTimeoutMs);
    const finish = (isPassed: boolean): void => {
      clearTimeout(connectTimer);
      peer.inFlight.delete(outgoing);
      resolve(isPassed);
    };
    outgoing.on("timeout", () => outgoing.destroy(new Error("No answer.")));
    outgoing.on("error", () => {
      // If the response has begun, another one cannot replace it: the caller sees a broken connection.
      if (response.headersSent) response.destroy();
      finish(response.headersSent);
    });
    outgoing.on("response", (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, endToEndHeaders(incoming.rawHeaders));
      incoming.pipe(response);
      incoming.on("error", () => response.destroy());
      response.on("close", () => {
        incoming.destroy();
        finish(true);
      });
    });
    message.on("error", () => outgoing.destroy());
    message.pipe(outgoing);
  });
}

function endToEndHeaders(raw: readonly string[], excluded: readonly string[] = []): string[] {
  const forwarded: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    const lowerCaseName = name.toLowerCase();
    if (!hopByHopHeaders.includes(lowerCaseName) && !excluded.includes(lowerCaseName))
      forwarded.push(name, value);
  }
  return forwarded;
}

function respondsToProbe(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probeRequest = (url.startsWith("https:") ? httpsGet : httpGet)(`${url}/livez`, {
      timeout: probeTimeoutMs,
    });
    probeRequest.on("response", (incoming) => {
      incoming.resume();
      resolve(true);
    });
    probeRequest.on("timeout", () => probeRequest.destroy());
    probeRequest.on("error", () => resolve(false));
  });
}
