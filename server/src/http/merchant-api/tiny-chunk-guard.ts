import type { IncomingMessage } from "node:http";

/**
 * Number of chunks that are always allowed. Each chunk is an object: a body of one-byte chunks would take hundreds of
 * times its length in memory.
 */
const chunksAlwaysAllowed = 64;
const bytesPerChunkMin = 256;

/** Whether a body arrives in more chunks than a legitimate sender makes. */
export function isInTinyChunks(chunks: number, bytes: number): boolean {
  return chunks > chunksAlwaysAllowed + bytes / bytesPerChunkMin;
}

const tinyChunkMessages = new WeakSet<IncomingMessage>();

export function hasSentTinyChunks(message: IncomingMessage): boolean {
  return tinyChunkMessages.has(message);
}

/**
 * Watches a chunked body as Node's parser emits it, whether or not the body is read. One read of the socket may contain
 * ten thousand chunks, parsed before the first is consumed. Excess chunks are dropped, and reading stops.
 */
export function watchForTinyChunks(message: IncomingMessage, onTinyChunks: () => void): void {
  const push = message.push.bind(message);
  let chunks = 0;
  let bytes = 0;
  message.push = (chunk: Buffer | null) => {
    if (chunk === null) return tinyChunkMessages.has(message) || push(null);
    chunks += 1;
    bytes += chunk.length;
    if (!isInTinyChunks(chunks, bytes)) return push(chunk);
    if (!tinyChunkMessages.has(message)) {
      tinyChunkMessages.add(message);
      // `_read` does nothing from now on: consuming the earlier chunks would call it, and it would resume the socket.
      message._read = () => undefined;
      message.emit("tiny-chunks");
      onTinyChunks();
    }
    // Back-pressure: `false` makes Node stop reading the socket.
    return false;
  };
}
