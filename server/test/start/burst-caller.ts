import { Socket, type OnReadOpts } from "node:net";

/** The plan for many clients at once, each on a new connection, with the same request. */
export interface BurstPlan {
  readonly host: string;
  readonly port: number;
  /** The complete request, with `connection: close`. */
  readonly request: string;
}

export interface BurstAnswer {
  readonly text: string;
  /** Milliseconds from the call of `connect` to the last byte of the response. */
  readonly tookMs: number;
}

export interface Burst {
  readonly answers: readonly BurstAnswer[];
  /** CPU time of this process meanwhile: the load that the clients put on the measured machine. */
  readonly cpuMs: number;
}

const answerBytesMax = 16 * 1024;

/**
 * A separate process, so that the load generator does not distort the measurement. Everything is prepared in advance.
 * The run itself only connects, writes prepared bytes, and records the arrival times of bytes, which are parsed at
 * the end.
 */
process.once("message", (plan: BurstPlan) => {
  process.on("message", (count: number) => {
    call(plan, count).then(
      (burst) => process.send?.(burst),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
      },
    );
  });
  process.send?.("ready");
});
process.once("disconnect", () => process.exit());

async function call({ host, port, request }: BurstPlan, count: number): Promise<Burst> {
  const bytes = Buffer.from(request);
  const callers = Array.from({ length: count }, newCaller);
  const before = process.cpuUsage();
  for (const caller of callers) {
    caller.startedMs = performance.now();
    caller.socket.connect({ host, port });
    caller.socket.write(bytes);
  }
  await Promise.all(callers.map(({ closed }) => closed));
  const { user, system } = process.cpuUsage(before);
  const answers = callers.map(({ buffer, length, startedMs, lastByteMs }) => ({
    text: buffer.toString("utf8", 0, length),
    tookMs: lastByteMs - startedMs,
  }));
  return { answers, cpuMs: (user + system) / 1000 };
}

interface Caller {
  readonly socket: Socket;
  readonly buffer: Buffer;
  readonly closed: Promise<void>;
  length: number;
  startedMs: number;
  lastByteMs: number;
}

/** Reads into its own buffer (`onread`), without Node streams, which cost more than the response. */
function newCaller(): Caller {
  const buffer = Buffer.alloc(answerBytesMax);
  const onread: OnReadOpts = {
    buffer: Buffer.alloc(answerBytesMax),
    callback(bytesRead, bytes) {
      caller.length += Buffer.from(bytes.buffer, bytes.byteOffset, bytesRead).copy(buffer, caller.length);
      caller.lastByteMs = performance.now();
      return true;
    },
  };
  const socket = new Socket({ onread });
  const closed = new Promise<void>((resolve, reject) => {
    socket.once("close", () => resolve()).once("error", reject);
  });
  const caller = { socket, buffer, closed, length: 0, startedMs: 0, lastByteMs: 0 };
  return caller;
}
