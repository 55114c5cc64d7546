import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface Posted {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
  /** Opens a new connection, and runs before any byte is sent. If it throws, none is sent. */
  readonly onceConnected?: () => Promise<void>;
}

/** Keep-alive: opening a connection costs more than sending a message over it. */
const agents = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };
const freshAgents = { "http:": new HttpAgent(), "https:": new HttpsAgent() };

/**
 * One POST to the outside. Follows no redirect, and limits the size of the answer. Not `fetch`: that takes
 * several times the CPU time for the same bytes, and every payment takes two of these.
 */
export function postBytes(
  url: URL,
  { headers, body, answerBytesMax, signal, onceConnected }: PostOptions,
): Promise<Posted> {
  const secure = url.protocol === "https:";
  const agent = (onceConnected ? freshAgents : agents)[secure ? "https:" : "http:"];
  const length = { "content-length": String(body.length) };
  return new Promise((resolve, reject) => {
    const options = { method: "POST", agent, signal, headers: { ...headers, ...length } };
    const outgoing = (secure ? httpsRequest : httpRequest)(url, options, (incoming) => {
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
    if (!onceConnected) return void outgoing.end(body);
    // `end` sends head and body together, so no byte leaves before the hook has run.
    outgoing.once("socket", (socket) =>
      socket.once(secure ? "secureConnect" : "connect", () => {
        onceConnected().then(
          () => outgoing.end(body),
          (cause: unknown) => outgoing.destroy(cause instanceof Error ? cause : new Error(String(cause))),
        );
      }),
    );
  });
}
