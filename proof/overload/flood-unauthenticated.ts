import { randomInt } from "node:crypto";
import { connect, type Socket } from "node:net";

/** An unauthenticated client, which sends many requests, or requests with very long bodies. */
export interface Flood {
  readonly name: string;
  /** The request; `#` is replaced by a new number each time. */
  readonly request: string;
  /** A piece of the body that is sent repeatedly after the request. */
  readonly more?: string;
  /**
   * Number of body pieces per request at maximum rate. `moreCountAtRate` is the number at a fixed rate, which has many
   * more requests.
   */
  readonly moreCount?: number;
  readonly moreCountAtRate?: number;
  /** Pipelining: number of requests on each connection before a response; by default the number in the flood order. */
  readonly pipelined?: number;
  /** True if each request needs a new connection, because the server closes the connection. */
  readonly isFresh?: boolean;
}

export interface FloodOrder {
  readonly port: number;
  readonly flood: Flood;
  readonly seconds: number;
  readonly connections: number;
  /** Pipelining: requests on each connection before a response. */
  readonly pipelined: number;
  /** Open loop at this rate; without it, a closed loop. */
  readonly perSecond?: number | undefined;
}

export interface FloodReport {
  readonly sent: number;
  readonly answers: number;
  /** Number of responses that the gateway signed for this unauthenticated client. */
  readonly signed: number;
  readonly connectionsOpened: number;
}

const tickMs = 10;
/** The client address of the flood. It differs from the merchant's, because rate limits count by address. */
const strangersAddress = "127.0.0.2";

// The flood runs in a separate process, so that its CPU time is not counted as the gateway's.
process.on("message", (order: FloodOrder) => void flood(order).then((report) => process.send?.(report)));
process.once("disconnect", () => process.exit());

async function flood(order: FloodOrder): Promise<FloodReport> {
  const { port, flood: what, connections, perSecond, seconds } = order;
  const pipelined = what.pipelined ?? order.pipelined;
  const report = { sent: 0, answers: 0, signed: 0, connectionsOpened: 0 };
  const open = new Set<Line>();
  let isOver = false;

  interface Line {
    readonly socket: Socket;
    owed: number;
  }

  function dial(): Line {
    const socket = connect({ port, host: "127.0.0.1", localAddress: strangersAddress, noDelay: true });
    const line: Line = { socket, owed: 0 };
    report.connectionsOpened += 1;
    open.add(line);
    socket.setEncoding("latin1").on("data", (text: string) => hear(line, text));
    socket
      .on("error", () => undefined)
      .on("close", () => {
        open.delete(line);
        // A disconnected client reconnects a moment later.
        if (!isOver && perSecond === undefined) setTimeout(() => isOver || ask(dial(), pipelined), 1);
      });
    return line;
  }

  function hear(line: Line, text: string): void {
    const answers = text.split("HTTP/1.1 ").length - 1;
    report.answers += answers;
    report.signed += text.split("\r\nsignature: ").length - 1;
    line.owed -= answers;
    if (what.isFresh) line.socket.destroy();
    else if (perSecond === undefined && answers > 0 && !isOver) ask(line, answers);
  }

  function ask(line: Line, count: number): void {
    const requests = Array.from({ length: count }, () =>
      what.request.replaceAll("#", String(randomInt(2 ** 31))),
    );
    report.sent += count;
    line.owed += count;
    line.socket.write(requests.join(""));
    const times = perSecond === undefined ? what.moreCount : what.moreCountAtRate;
    if (what.more) goOn(line.socket, what.more, times ?? 0);
  }

  const endsAtMs = performance.now() + seconds * 1_000;
  if (perSecond === undefined) {
    for (let count = 0; count < connections; count += 1) ask(dial(), what.more ? 1 : pipelined);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  } else {
    const startedAtMs = performance.now();
    const lines = what.isFresh ? [] : Array.from({ length: connections }, dial);
    while (performance.now() < endsAtMs) {
      const due = ((performance.now() - startedAtMs) / 1_000) * perSecond;
      while (report.sent < due) {
        const line = what.isFresh ? dial() : lines[report.sent % lines.length];
        if (!line || line.socket.destroyed) {
          if (line) lines[report.sent % lines.length] = dial();
          report.sent += 1;
        } else ask(line, 1);
      }
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
  }
  isOver = true;
  for (const { socket } of open) socket.destroy();
  return report;
}

/** `goOn` writes the body pieces as fast as the socket accepts them. */
function goOn(socket: Socket, piece: string, count: number): void {
  let left = count;
  const go = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(piece)) return void socket.once("drain", go);
    }
  };
  go();
}
