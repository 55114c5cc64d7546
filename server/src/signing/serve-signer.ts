import { once } from "node:events";
import { chmod, unlink } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import type { LocalSigner } from "./gateway-keys.ts";
import { messageProblem, type MessageKind } from "./message-kind.ts";
import { requestKinds, readFrames, responseKinds, writeFrame, type Frame } from "./signer-frames.ts";
import { readSignRequest, writePublicKeys } from "./signer-messages.ts";

export interface SignerServerOptions {
  /** Path of the Unix socket. */
  readonly path: string;
  readonly environment: string;
  readonly signer: LocalSigner;
  /** The keys derived by `deriveKeys`. The installation secret itself does not leave the signer. */
  readonly derivedKeys: Buffer;
  readonly onFault: (cause: unknown) => void;
}

export interface SignerServer {
  /** Completes pending requests, accepts no new ones, and returns. */
  close(): Promise<void>;
}

/** Mode of the socket: its owner and its group, whose processes may have messages signed. */
const socketMode = 0o660;
const forbiddenModeBits = 0o117;
/**
 * Maximum number of unread bytes. Above it, a process that sends requests without reading responses is disconnected.
 */
const unreadBytesMax = 64 * 1024 * 1024;

/**
 * Signs responses, webhooks and requests to payment providers for other processes of this machine. It never reveals a
 * private key or the installation secret, and signs no other text. In particular it signs no audit head for other
 * processes; the signer process creates audit heads itself.
 */
export async function serveSigner(options: SignerServerOptions): Promise<SignerServer> {
  const { path, onFault } = options;
  await removeStale(path);
  const sockets = new Set<Socket>();
  const pending = { count: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", onFault);
    socket.on("close", () => sockets.delete(socket));
    readFrames(socket, (frame) => {
      pending.count += 1;
      void handleFrame(options, frame, socket).finally(() => (pending.count -= 1));
    });
  });
  // The umask is set before the socket exists, so that other users can never connect.
  const previousMask = process.umask(forbiddenModeBits);
  server.listen(path);
  await once(server, "listening").finally(() => process.umask(previousMask));
  await chmod(path, socketMode);
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      while (pending.count > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const socket of sockets) socket.end();
      await closed;
    },
  };
}

async function handleFrame(options: SignerServerOptions, frame: Frame, socket: Socket): Promise<void> {
  const response = await runRequest(options, frame);
  if (socket.writableLength > unreadBytesMax)
    socket.destroy(new Error("The process does not read responses."));
  else writeFrame(socket, response);
}

async function runRequest(options: SignerServerOptions, { id, kind, content }: Frame): Promise<Frame> {
  try {
    const result = await handlers[kind]?.(options, content);
    if (result) return { id, kind: responseKinds.done, content: result };
    return refusalFrame(id, "The signer does not know this request. Both processes must be of one release.");
  } catch (error) {
    options.onFault(error);
    return refusalFrame(id, error instanceof Error ? error.message : String(error));
  }
}

function refusalFrame(id: number, reason: string): Frame {
  return { id, kind: responseKinds.refused, content: Buffer.from(reason, "utf8") };
}

type Handler = (options: SignerServerOptions, content: Buffer) => Promise<Buffer | undefined>;

const handlers: Readonly<Record<number, Handler>> = {
  [requestKinds.answer]: createSignHandler("answer"),
  [requestKinds.notification]: createSignHandler("notification"),
  [requestKinds.providerRequest]: createSignHandler("providerRequest"),
  [requestKinds.keys]: async ({ signer }) => {
    await signer.refresh();
    return writePublicKeys(signer.publicKeys());
  },
  [requestKinds.derivedKeys]: async ({ environment, derivedKeys }, content) => {
    const requestedEnvironment = content.toString("utf8");
    if (requestedEnvironment !== environment)
      throw new Error(`The signer is of ${environment}, and you are of ${requestedEnvironment}.`);
    return derivedKeys;
  },
};

function createSignHandler(kind: MessageKind): Handler {
  return async ({ signer, environment }, content) => {
    const request = readSignRequest(content);
    if (!request) return undefined;
    const { keyVersion, algorithm, text, beforeBody, body } = request;
    const problem = messageProblem(kind, beforeBody, body, { environment });
    if (problem !== undefined) throw new Error(`This is no ${kind}. ${problem}`);
    return signer.signText(keyVersion, text, algorithm);
  };
}

/** Removes the socket file that a killed signer has left. It keeps the file of a running signer. */
async function removeStale(path: string): Promise<void> {
  const isListening = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
  if (isListening) throw new Error(`A signer listens at ${path} already.`);
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
