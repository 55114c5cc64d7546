import type { IncomingMessage } from "node:http";

/**
 * Number of chunks that are always allowed. Each chunk is an object: a body of one-byte chunks would take hundreds of
 * times its length in memory.
 */
const piecesFree = 64;
const bytesPerPieceMin = 256;

/** Whether a body arrives in more chunks than a legitimate sender makes. */
export function isInTinyChunks(pieces: number, bytes: number): boolean {
  return pieces > piecesFree + bytes / bytesPerPieceMin;
}

const crumbled = new WeakSet<IncomingMessage>();

export function hasSentTinyChunks(message: IncomingMessage): boolean {
  return crumbled.has(message);
}

/**
 * Watches a chunked body as Node's parser emits it, whether or not the body is read. One read of the socket may contain
 * ten thousand chunks, parsed before the first is consumed. Excess chunks are dropped, and reading stops.
 */
export function watchForTinyChunks(message: IncomingMessage, onCrumbs: () => void): void {
  const push = message.push.bind(message);
  let pieces = 0;
  let bytes = 0;
  message.push = (piece: Buffer | null) => {
    if (piece === null) return crumbled.has(message) || push(null);
    pieces += 1;
    bytes += piece.length;
    if (!isInTinyChunks(pieces, bytes)) return push(piece);
    if (!crumbled.has(message)) {
      crumbled.add(message);
      // `_read` does nothing from now on: consuming the earlier chunks would call it, and it would resume the socket.
      message._read = () => undefined;
      message.emit("tiny-chunks");
      onCrumbs();
    }
    // Back-pressure: `false` makes Node stop reading the socket.
    return false;
  };
}
