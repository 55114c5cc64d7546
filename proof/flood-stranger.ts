import { randomInt } from "node:crypto";
import { connect, type Socket } from "node:net";

/** What a stranger does, who has no key: asks, or sends what comes to no end. */
export interface Flood {
  readonly name: string;
  /** Its requests; `#` stands for a number that is another one each time. */
  readonly request: string;
  /** A piece of the body that is sent over and over behind the request, instead of an end. */
  readonly more?: string;
  /** How often, as fast as it can, and at a fixed rate, at which there are many more of them. */
  readonly moreCount?: number;
  readonly moreCountAtRate?: number;
  /** How many it asks on each connection before it has an answer, if not as many as the order says. */
  readonly pipelined?: number;
  /** For requests that end their connection: each has one of its own. */
  readonly isFresh?: boolean;
}

export interface FloodOrder {
  readonly port: number;
  readonly flood: Flood;
  readonly seconds: number;
  readonly connections: number;
  /** How many it asks on each connection before it has an answer. */
  readonly pipelined: number;
  /** As fast as it is answered, if not given. */
  readonly perSecond?: number | undefined;
}

export interface FloodReport {
  readonly sent: number;
  readonly answers: number;
  /** Answers that the gateway has signed: so many signatures were spent. */
  readonly signed: number;
  readonly connectionsOpened: number;
}

const tickMs = 10;
/** Not the merchant's: who lives with a stranger at one address shares what an address may do. */
const strangersAddress = "127.0.0.2";

// A process of its own: what it costs to flood is not the gateway's.
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
        // Who is cut off comes again, a moment later.
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

/** As fast as it is taken. */
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
