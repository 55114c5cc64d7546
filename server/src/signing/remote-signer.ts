import { connect, type Socket } from "node:net";
import type { KeyObject } from "node:crypto";
import type { Signer } from "./gateway-keys.ts";
import { asks, readFrames, tells, writeFrame, type Frame } from "./signer-frames.ts";
import { secretsOf, type Secrets } from "./secrets.ts";
import { readPublicKeys, writeSignRequest } from "./signer-messages.ts";

export interface RemoteSignerOptions {
  /** Path of the signer's Unix socket. */
  readonly path: string;
  readonly environment: string;
  /** Called when the signer stops responding, and when it responds again. */
  readonly onChange: (isWell: boolean, cause?: unknown) => void;
  readonly answerMsMax?: number;
}

/** A signer in a separate process, and the keys that it derives from the installation secret. */
export interface RemoteSigner extends Signer {
  secrets(): Promise<Secrets>;
  close(): void;
}

/** A request without a response yet. A signature may be requested again, because it changes nothing. */
interface Asked {
  readonly frame: Frame;
  readonly tell: (content: Buffer) => void;
  readonly fail: (cause: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Timeout of a request in milliseconds, also while the signer restarts. */
const usualAnswerMsMax = 3_000;
const [firstPauseMs, longestPauseMs] = [20, 1_000];
const probeEveryMs = 250;

/**
 * Connects to the signer at a Unix socket. If there is no signer at startup, it throws; after startup it waits for a
 * restart of the signer.
 */
export async function openRemoteSigner(options: RemoteSignerOptions): Promise<RemoteSigner> {
  const { path, environment } = options;
  const line = openLine(options);
  let publicKeys: ReadonlyMap<number, KeyObject> = new Map();
  let newest = 0;

  async function refresh(): Promise<void> {
    publicKeys = readPublicKeys(await line.ask(asks.keys));
    newest = Math.max(...publicKeys.keys());
  }

  await refresh().catch((cause: unknown) => {
    line.close();
    throw new Error(
      `The signer at ${path} does not answer. Does \`tollgate signer\` run, and may this process use its socket?`,
      { cause },
    );
  });
  return {
    newestVersion: () => newest,
    publicKeys: () => publicKeys,
    refresh,
    isWell: () => line.isWell(),
    sign: ({ kind, keyVersion, algorithm = "RSA256", parts }) =>
      line.ask(asks[kind], writeSignRequest({ keyVersion, algorithm, parts })),
    secrets: async () => secretsOf(await line.ask(asks.derivedKeys, Buffer.from(environment, "utf8"))),
    close: () => line.close(),
  };
}

interface Line {
  ask(kind: number, content?: Buffer): Promise<Buffer>;
  isWell(): boolean;
  close(): void;
}

function openLine({ path, onChange, answerMsMax = usualAnswerMsMax }: RemoteSignerOptions): Line {
  const open = new Map<number, Asked>();
  let [isWell, isClosed, lastId, pauseMs] = [true, false, 0, firstPauseMs];
  let socket: Socket | undefined;

  function turn(to: boolean, cause?: unknown): void {
    if (isWell === to) return;
    isWell = to;
    onChange(to, cause);
  }

  function hear({ id, kind, content }: Frame): void {
    turn(true);
    pauseMs = firstPauseMs;
    const asked = open.get(id);
    if (!asked) return;
    open.delete(id);
    clearTimeout(asked.timer);
    if (kind === tells.done) asked.tell(content);
    else asked.fail(new Error(`The signer refuses: ${content.toString("utf8")}`));
  }

  /** Requests of a broken connection are sent again on the next connection. */
  function connectNow(): void {
    const opening = connect(path);
    socket = opening;
    opening.unref();
    opening.on("connect", () => {
      for (const { frame } of open.values()) writeFrame(opening, frame);
    });
    readFrames(opening, hear);
    opening.on("error", (cause) => turn(false, cause));
    opening.on("close", () => {
      turn(false);
      if (isClosed) return;
      setTimeout(connectNow, pauseMs).unref();
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    });
  }

  function ask(kind: number, content = Buffer.alloc(0)): Promise<Buffer> {
    return new Promise((tell, fail) => {
      lastId = (lastId + 1) % 2 ** 32;
      const frame = { id: lastId, kind, content };
      const giveUp = (): void => {
        open.delete(frame.id);
        const silent = new Error(`The signer did not respond within ${answerMsMax} ms.`);
        turn(false, silent);
        fail(silent);
      };
      open.set(frame.id, { frame, tell, fail, timer: setTimeout(giveUp, answerMsMax) });
      if (socket && !socket.connecting) writeFrame(socket, frame);
    });
  }

  // While the signer is down this process is not ready and gets no requests, so only this probe detects that the signer
  // is back.
  const probe = setInterval(() => {
    if (!isWell && open.size === 0) void ask(asks.keys).catch(() => undefined);
  }, probeEveryMs).unref();

  connectNow();
  return {
    ask,
    isWell: () => isWell,
    close() {
      isClosed = true;
      clearInterval(probe);
      socket?.destroy();
      for (const { timer, fail } of open.values()) {
        clearTimeout(timer);
        fail(new Error("The connection to the signer was closed."));
      }
      open.clear();
    },
  };
}
