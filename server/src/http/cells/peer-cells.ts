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
  forward(to: Forwarding, message: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether another cell of the fleet has forwarded this request. The header is authenticated by a MAC. */
  isForwarded(message: IncomingMessage, path: string): boolean;
  /** Checks whether the recently used cells can be reached. It is called several times a second. */
  probe(): Promise<void>;
}

export interface Forwarding {
  readonly url: string;
  /** Path and query as received. */
  readonly path: string;
  readonly address: string;
}

interface Peer {
  usedAtMs: number;
  isReachable: boolean;
  readonly underWay: Set<ClientRequest>;
}

const header = "tollgate-forwarded";
export const probeEveryMs = 300;
/** Timeout after which a cell counts as unreachable; requests to it then get "retry later". */
const probeTimeoutMs = 600;
const connectTimeoutMs = 800;
const answerTimeoutMs = 11_000;
/** Bulkhead: a slow cell must not use up all sockets of this process. */
const underWayMax = 512;
/**
 * Time since its last use, after which a cell is no longer probed. Only recently used cells are probed, because there
 * may be hundreds.
 */
const neededForMs = 60_000;
/** Hop-by-hop headers, which are not forwarded. */
const ofConnection = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "expect"];

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

export function openPeerCells(key: KeyObject, monotonicMs: () => number): PeerCells {
  const peers = new Map<string, Peer>();

  function peerAt(url: string): Peer {
    const known = peers.get(url);
    if (known) return known;
    const peer: Peer = { usedAtMs: 0, isReachable: true, underWay: new Set() };
    peers.set(url, peer);
    return peer;
  }

  async function probeOne(url: string, peer: Peer): Promise<void> {
    peer.isReachable = await answers(url);
    if (!peer.isReachable)
      for (const waiting of peer.underWay) waiting.destroy(new Error(`${url} is silent.`));
  }

  return {
    forward(to, message, response) {
      const peer = peerAt(to.url);
      peer.usedAtMs = monotonicMs();
      const isOpen = peer.isReachable && peer.underWay.size < underWayMax;
      return isOpen
        ? pass(peer, to, message, response, macOf(key, message, to.path))
        : Promise.resolve(false);
    },
    isForwarded(message, path) {
      const given = Buffer.from(String(message.headers[header] ?? ""));
      const expected = Buffer.from(macOf(key, message, path));
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    async probe() {
      const sinceMs = monotonicMs() - neededForMs;
      const needed = [...peers].filter(([, { usedAtMs }]) => usedAtMs > sinceMs);
      await Promise.all(needed.map(([url, peer]) => probeOne(url, peer)));
    },
  };
}

/**
 * The MAC that proves that a cell has forwarded a request. It covers the parts that identify the request. An
 * eavesdropper can only replay the MAC, which stops the same request from being forwarded again.
 */
function macOf(key: KeyObject, { method, headers }: IncomingMessage, path: string): string {
  const about = `${method} ${path} ${String(headers["request-time"])} ${String(headers["client-id"])}`;
  return createHmac("sha256", key).update(about).digest("base64url");
}

function pass(
  peer: Peer,
  { url, path, address }: Forwarding,
  message: IncomingMessage,
  response: ServerResponse,
  mac: string,
): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === "https:";
  const headers = [
    ...passedOn(message.rawHeaders, [header, "x-forwarded-for"]),
    header,
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
      timeout: answerTimeoutMs,
    });
    peer.underWay.add(outgoing);
    const unconnected = setTimeout(() => {
      if (outgoing.socket === null || outgoing.socket.connecting)
        outgoing.destroy(new Error("No connection."));
    }, connectTimeoutMs);
    const end = (isPassed: boolean): void => {
      clearTimeout(unconnected);
      peer.underWay.delete(outgoing);
      resolve(isPassed);
    };
    outgoing.on("timeout", () => outgoing.destroy(new Error("No answer.")));
    outgoing.on("error", () => {
      // If the response has begun, another one cannot replace it: the caller sees a broken connection.
      if (response.headersSent) response.destroy();
      end(response.headersSent);
    });
    outgoing.on("response", (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.rawHeaders));
      incoming.pipe(response);
      incoming.on("error", () => response.destroy());
      response.on("close", () => {
        incoming.destroy();
        end(true);
      });
    });
    message.on("error", () => outgoing.destroy());
    message.pipe(outgoing);
  });
}

function passedOn(raw: readonly string[], without: readonly string[] = []): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    const known = name.toLowerCase();
    if (!ofConnection.includes(known) && !without.includes(known)) kept.push(name, value);
  }
  return kept;
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = (url.startsWith("https:") ? httpsGet : httpGet)(`${url}/livez`, {
      timeout: probeTimeoutMs,
    });
    asked.on("response", (incoming) => {
      incoming.resume();
      resolve(true);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
  });
}
