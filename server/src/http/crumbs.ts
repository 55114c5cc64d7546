import type { IncomingMessage } from "node:http";

/** A piece is an object of its own, however small: a body of one-byte chunks would cost hundreds of times its length. */
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
 * Watches a body in chunks as Node's parser hands it over, whether anybody reads it or not: in one read there may be ten
 * thousand chunks, which are there before the first is read. Those too many are dropped, and nothing more is taken in.
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
      // Whoever reads what came before would start it again.
      message._read = () => undefined;
      message.emit("crumbs");
      onCrumbs();
    }
    // Node stops reading from whoever is not read.
    return false;
  };
}
