import { connect, type Socket } from "node:net";
import type { KeyObject } from "node:crypto";
import type { Signer } from "./gateway-keys.ts";
import { requestKinds, readFrames, responseKinds, writeFrame, type Frame } from "./signer-frames.ts";
import { splitDerivedKeys, type Secrets } from "./secrets.ts";
import { readPublicKeys, writeSignRequest } from "./signer-messages.ts";

export interface RemoteSignerOptions {
  /** Path of the signer's Unix socket. */
  readonly path: string;
  readonly environment: string;
  /** Called when the signer stops responding, and when it responds again. */
  readonly onChange: (isAvailable: boolean, cause?: unknown) => void;
  readonly answerMsMax?: number;
}

/** A signer in a separate process, and the keys that it derives from the installation secret. */
export interface RemoteSigner extends Signer {
  secrets(): Promise<Secrets>;
  close(): void;
}

/** A request without a response yet. A signature may be requested again, because it changes nothing. */
interface PendingRequest {
  readonly frame: Frame;
  readonly resolve: (content: Buffer) => void;
  readonly reject: (cause: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Timeout of a request in milliseconds, also while the signer restarts. */
const defaultAnswerMsMax = 3_000;
const [firstPauseMs, longestPauseMs] = [20, 1_000];
const probeEveryMs = 250;

/**
 * Connects to the signer at a Unix socket. If there is no signer at startup, it throws; after startup it waits for a
 * restart of the signer.
 */
export async function openRemoteSigner(options: RemoteSignerOptions): Promise<RemoteSigner> {
  const { path, environment } = options;
  const connection = openConnection(options);
  let publicKeys: ReadonlyMap<number, KeyObject> = new Map();
  let newest = 0;

  async function refresh(): Promise<void> {
    publicKeys = readPublicKeys(await connection.request(requestKinds.keys));
    newest = Math.max(...publicKeys.keys());
  }

  await refresh().catch((cause: unknown) => {
    connection.close();
    throw new Error(
      `The signer at ${path} does not answer. Does \`tollgate signer\` run, and may this process use its socket?`,
      { cause },
    );
  });
  return {
    newestVersion: () => newest,
    publicKeys: () => publicKeys,
    refresh,
    isAvailable: () => connection.isAvailable(),
    sign: ({ kind, keyVersion, algorithm = "RSA256", parts }) =>
      connection.request(requestKinds[kind], writeSignRequest({ keyVersion, algorithm, parts })),
    secrets: async () =>
      splitDerivedKeys(await connection.request(requestKinds.derivedKeys, Buffer.from(environment, "utf8"))),
    close: () => connection.close(),
  };
}

interface SignerConnection {
  request(kind: number, content?: Buffer): Promise<Buffer>;
  isAvailable(): boolean;
  close(): void;
}

function openConnection({
  path,
  onChange,
  answerMsMax = defaultAnswerMsMax,
}: RemoteSignerOptions): SignerConnection {
  const pending = new Map<number, PendingRequest>();
  let [isAvailable, isClosed, lastId, pauseMs] = [true, false, 0, firstPauseMs];
  let socket: Socket | undefined;

  function setAvailable(next: boolean, cause?: unknown): void {
    if (isAvailable === next) return;
    isAvailable = next;
    onChange(next, cause);
  }

  function handleFrame({ id, kind, content }: Frame): void {
    setAvailable(true);
    pauseMs = firstPauseMs;
    const pendingRequest = pending.get(id);
    if (!pendingRequest) return;
    pending.delete(id);
    clearTimeout(pendingRequest.timer);
    if (kind === responseKinds.done) pendingRequest.resolve(content);
    else pendingRequest.reject(new Error(`The signer refuses: ${content.toString("utf8")}`));
  }

  /** Requests of a broken connection are sent again on the next connection. */
  function connectNow(): void {
    const opening = connect(path);
    socket = opening;
    opening.unref();
    opening.on("connect", () => {
      for (const { frame } of pending.values()) writeFrame(opening, frame);
    });
    readFrames(opening, handleFrame);
    opening.on("error", (cause) => setAvailable(false, cause));
    opening.on("close", () => {
      setAvailable(false);
      if (isClosed) return;
      setTimeout(connectNow, pauseMs).unref();
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    });
  }

  function request(kind: number, content = Buffer.alloc(0)): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      lastId = (lastId + 1) % 2 ** 32;
      const frame = { id: lastId, kind, content };
      const giveUp = (): void => {
        pending.delete(frame.id);
        const timeoutError = new Error(`The signer did not respond within ${answerMsMax} ms.`);
        setAvailable(false, timeoutError);
        reject(timeoutError);
      };
      pending.set(frame.id, { frame, resolve, reject, timer: setTimeout(giveUp, answerMsMax) });
      if (socket && !socket.connecting) writeFrame(socket, frame);
    });
  }

  // While the signer is down this process is not ready and gets no requests, so only this probe detects that the signer
  // is back.
  const probe = setInterval(() => {
    if (!isAvailable && pending.size === 0) void request(requestKinds.keys).catch(() => undefined);
  }, probeEveryMs).unref();

  connectNow();
  return {
    request,
    isAvailable: () => isAvailable,
    close() {
      isClosed = true;
      clearInterval(probe);
      socket?.destroy();
      rejectPending(pending);
    },
  };
}

/** Rejects all pending requests, because the connection is closed. */
function rejectPending(pending: Map<number, PendingRequest>): void {
  for (const { timer, reject } of pending.values()) {
    clearTimeout(timer);
    reject(new Error("The connection to the signer was closed."));
  }
  pending.clear();
}
