import { randomInt } from "node:crypto";
import { connect, type Socket } from "node:net";

/** An unauthenticated client, which sends many requests, or requests with very long bodies. */
export interface Flood {
  readonly name: string;
  /** The request; `#` is replaced by a new number each time. */
  readonly request: string;
  /** A piece of the body that is sent repeatedly after the request. */
  readonly bodyPiece?: string;
  /**
   * Number of body pieces per request at maximum rate. `bodyPieceCountAtRate` is the number at a fixed rate, which has
   * many more requests.
   */
  readonly bodyPieceCount?: number;
  readonly bodyPieceCountAtRate?: number;
  /** Pipelining: number of requests on each connection before a response; by default the number in the flood order. */
  readonly pipelined?: number;
  /** True if each request needs a new connection, because the server closes the connection. */
  readonly usesNewConnections?: boolean;
}

export interface FloodOptions {
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
const unauthenticatedAddress = "127.0.0.2";

// The flood runs in a separate process, so that its CPU time is not counted as the gateway's.
process.on(
  "message",
  (options: FloodOptions) => void runFlood(options).then((report) => process.send?.(report)),
);
process.once("disconnect", () => process.exit());

async function runFlood(options: FloodOptions): Promise<FloodReport> {
  const { port, flood: settings, connections, perSecond, seconds } = options;
  const pipelined = settings.pipelined ?? options.pipelined;
  const report = { sent: 0, answers: 0, signed: 0, connectionsOpened: 0 };
  const openConnections = new Set<Connection>();
  let isFinished = false;

  interface Connection {
    readonly socket: Socket;
    pendingCount: number;
  }

  function dial(): Connection {
    const socket = connect({ port, host: "127.0.0.1", localAddress: unauthenticatedAddress, noDelay: true });
    const connection: Connection = { socket, pendingCount: 0 };
    report.connectionsOpened += 1;
    openConnections.add(connection);
    socket.setEncoding("latin1").on("data", (text: string) => handleData(connection, text));
    socket
      .on("error", () => undefined)
      .on("close", () => {
        openConnections.delete(connection);
        // A disconnected client reconnects a moment later.
        if (!isFinished && perSecond === undefined)
          setTimeout(() => isFinished || sendRequests(dial(), pipelined), 1);
      });
    return connection;
  }

  function handleData(connection: Connection, text: string): void {
    const answers = text.split("HTTP/1.1 ").length - 1;
    report.answers += answers;
    report.signed += text.split("\r\nsignature: ").length - 1;
    connection.pendingCount -= answers;
    if (settings.usesNewConnections) connection.socket.destroy();
    else if (perSecond === undefined && answers > 0 && !isFinished) sendRequests(connection, answers);
  }

  function sendRequests(connection: Connection, count: number): void {
    const requests = Array.from({ length: count }, () =>
      settings.request.replaceAll("#", String(randomInt(2 ** 31))),
    );
    report.sent += count;
    connection.pendingCount += count;
    connection.socket.write(requests.join(""));
    const times = perSecond === undefined ? settings.bodyPieceCount : settings.bodyPieceCountAtRate;
    if (settings.bodyPiece) writePieces(connection.socket, settings.bodyPiece, times ?? 0);
  }

  const endsAtMs = performance.now() + seconds * 1_000;
  if (perSecond === undefined) {
    for (let count = 0; count < connections; count += 1)
      sendRequests(dial(), settings.bodyPiece ? 1 : pipelined);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  } else {
    const startedAtMs = performance.now();
    const fixedConnections = settings.usesNewConnections ? [] : Array.from({ length: connections }, dial);
    while (performance.now() < endsAtMs) {
      const dueCount = ((performance.now() - startedAtMs) / 1_000) * perSecond;
      while (report.sent < dueCount) {
        const connection = settings.usesNewConnections
          ? dial()
          : fixedConnections[report.sent % fixedConnections.length];
        if (!connection || connection.socket.destroyed) {
          if (connection) fixedConnections[report.sent % fixedConnections.length] = dial();
          report.sent += 1;
        } else sendRequests(connection, 1);
      }
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
  }
  isFinished = true;
  for (const { socket } of openConnections) socket.destroy();
  return report;
}

/** `writePieces` writes the body pieces as fast as the socket accepts them. */
function writePieces(socket: Socket, piece: string, count: number): void {
  let remaining = count;
  const writeMore = (): void => {
    while (remaining > 0 && !socket.destroyed) {
      remaining -= 1;
      if (!socket.write(piece)) return void socket.once("drain", writeMore);
    }
  };
  writeMore();
}
