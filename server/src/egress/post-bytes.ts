import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface PostResponse {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/**
 * An address to post to, parsed once. Node would parse a URL again for every request, which takes a sixth of its CPU
 * time.
 */
export interface PostAddress {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
}

export function toPostAddress({ protocol, hostname, port, pathname, search }: URL): PostAddress {
  // The brackets around an IPv6 address belong to the URL, not to the address.
  const hostWithoutBrackets = hostname.replace(/^\[(.*)\]$/, "$1");
  return { isSecure: protocol === "https:", hostname: hostWithoutBrackets, port, path: pathname + search };
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
  /** Agents to use instead of the default agents, for an address with its own certificate. */
  readonly agents?: PostAgents;
  /** A hook that runs before any byte is sent, on a new connection. If it throws, nothing is sent. */
  readonly beforeFirstByte?: () => Promise<void>;
}

/** Two agents: one keeps connections, the other opens a new one each time. */
export interface PostAgents {
  readonly pooled: HttpsAgent;
  readonly fresh: HttpsAgent;
}

/** Agents that send a client certificate, or trust other CAs. */
export function createTlsAgents(tls: {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly ca?: Buffer;
}): PostAgents {
  return { pooled: new HttpsAgent({ ...tls, keepAlive: true }), fresh: new HttpsAgent(tls) };
}

/** The default agents keep connections open, because opening a connection costs more than sending a message over it. */
const pooledAgents = {
  "http:": new HttpAgent({ keepAlive: true }),
  "https:": new HttpsAgent({ keepAlive: true }),
};
const freshAgents = { "http:": new HttpAgent(), "https:": new HttpsAgent() };

/**
 * Sends one POST request. It follows no redirect, and limits the size of the response. It does not use `fetch`, which
 * takes several times the CPU time for the same bytes; every payment sends two such requests.
 */
export function postBytes(
  { isSecure, hostname, port, path }: PostAddress,
  { headers, body, answerBytesMax, signal, beforeFirstByte, agents: customAgents }: PostOptions,
): Promise<PostResponse> {
  const defaultAgent = (beforeFirstByte ? freshAgents : pooledAgents)[isSecure ? "https:" : "http:"];
  const agent = (isSecure && customAgents?.[beforeFirstByte ? "fresh" : "pooled"]) || defaultAgent;
  const lengthHeader = { "content-length": String(body.length) };
  return new Promise((resolve, reject) => {
    const target = { method: "POST", hostname, port, path, agent };
    const options = { ...target, signal, headers: { ...headers, ...lengthHeader } };
    const outgoing = (isSecure ? httpsRequest : httpRequest)(options, (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > answerBytesMax)
          outgoing.destroy(new Error(`The answer is longer than ${answerBytesMax} bytes.`));
        else chunks.push(chunk);
      });
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.on("error", reject);
    if (!beforeFirstByte) return void outgoing.end(body);
    // The request sends its head only with `end`, so no byte leaves before the hook has run.
    outgoing.once("socket", (socket) =>
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        beforeFirstByte().then(
          () => outgoing.end(body),
          (cause: unknown) => outgoing.destroy(cause instanceof Error ? cause : new Error(String(cause))),
        );
      }),
    );
  });
}
