import type { Socket } from "node:net";

/**
 * What goes between a process and its signer: four bytes with the length of the rest, four with the number of the question, one that says
 * what it is, and the content. Questions are pipelined, and answered in whatever order they are done.
 */
export interface Frame {
  readonly id: number;
  readonly kind: number;
  readonly content: Buffer;
}

/** Kinds of question. */
export const asks = { sign: 1, keys: 2, secret: 3 } as const;
/** Kinds of answer. A refusal's content says why. */
export const tells = { done: 0, refused: 1 } as const;

const headBytes = 9;
/** Longer than anything that is signed: the longest body, and what stands before it. */
const frameBytesMax = 4 * 1024 * 1024;

/** Collects what is written within one turn of the event loop, so that many frames leave in one write. */
export function writeFrame(socket: Socket, { id, kind, content }: Frame): void {
  if (socket.destroyed || !socket.writable) return;
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(headBytes - 4 + content.length, 0);
  head.writeUInt32BE(id, 4);
  head.writeUInt8(kind, 8);
  if (socket.writableCorked === 0) {
    socket.cork();
    setImmediate(() => socket.uncork());
  }
  socket.write(head);
  socket.write(content);
}

/** Calls back for each frame that has arrived whole. One that is too long ends the connection. */
export function readFrames(socket: Socket, onFrame: (frame: Frame) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= headBytes) {
      const length = rest.readUInt32BE(0);
      if (length > frameBytesMax || length < headBytes - 4) {
        socket.destroy(new Error(`A frame of ${length} bytes.`));
        return;
      }
      if (rest.length < 4 + length) return;
      onFrame({
        id: rest.readUInt32BE(4),
        kind: rest.readUInt8(8),
        content: rest.subarray(headBytes, 4 + length),
      });
      rest = rest.subarray(4 + length);
    }
  });
}
