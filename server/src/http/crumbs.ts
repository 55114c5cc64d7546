import type { IncomingMessage } from "node:http";

/** Each chunk is an object: a body of one-byte chunks would take hundreds of times its length in memory. */
const piecesFree = 64;
const bytesPerPieceMin = 256;

/** Whether a body comes in more pieces than an honest sender makes of it. */
export function isInCrumbs(pieces: number, bytes: number): boolean {
  return pieces > piecesFree + bytes / bytesPerPieceMin;
}

const crumbled = new WeakSet<IncomingMessage>();

export function hasCrumbled(message: IncomingMessage): boolean {
  return crumbled.has(message);
}

/**
 * Watches a chunked body as Node's parser hands it over, read or not: one read of the socket may hold ten
 * thousand chunks, parsed before the first is consumed. Excess chunks are dropped, and reading stops.
 */
export function watchForCrumbs(message: IncomingMessage, onCrumbs: () => void): void {
  const push = message.push.bind(message);
  let pieces = 0;
  let bytes = 0;
  message.push = (piece: Buffer | null) => {
    if (piece === null) return crumbled.has(message) || push(null);
    pieces += 1;
    bytes += piece.length;
    if (!isInCrumbs(pieces, bytes)) return push(piece);
    if (!crumbled.has(message)) {
      crumbled.add(message);
      // Consuming the earlier chunks would call `_read`, which resumes the socket.
      message._read = () => undefined;
      message.emit("crumbs");
      onCrumbs();
    }
    // Back-pressure: `false` makes Node stop reading the socket.
    return false;
  };
}
