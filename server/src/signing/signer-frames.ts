import type { Socket } from "node:net";

/**
 * A frame between a process and its signer: length of the rest (4 bytes), protocol version (1), request number (4),
 * kind (1), content. Requests are pipelined, and the signer answers them in the order of their completion.
 */
export interface Frame {
  readonly id: number;
  readonly kind: number;
  readonly content: Buffer;
}

/** The protocol version. It must be equal on both sides: all processes of a machine are of one release. */
const protocolVersion = 2;

/**
 * Kinds of request. Protocol version 1 had kind 1, which signed any text, and kind 3, which returned the installation
 * secret.
 */
export const requestKinds = {
  keys: 2,
  derivedKeys: 4,
  answer: 5,
  notification: 6,
  providerRequest: 7,
} as const;
/** Kinds of response. The content of a rejection is its reason. */
export const responseKinds = { done: 0, refused: 1 } as const;

const headBytes = 10;
/** Maximum size of a frame, which is more than any signed text: the longest body and the text before it. */
const frameBytesMax = 4 * 1024 * 1024;

/** Writes a frame. The frames of one turn of the event loop are collected, so that they are sent in one write. */
export function writeFrame(socket: Socket, { id, kind, content }: Frame): void {
  if (socket.destroyed || !socket.writable) return;
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(headBytes - 4 + content.length, 0);
  head.writeUInt8(protocolVersion, 4);
  head.writeUInt32BE(id, 5);
  head.writeUInt8(kind, 9);
  if (socket.writableCorked === 0) {
    socket.cork();
    setImmediate(() => socket.uncork());
  }
  socket.write(head);
  socket.write(content);
}

/** Calls back for each complete frame. A frame that is too long, or of another version, closes the connection. */
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
      const version = rest.readUInt8(4);
      if (version !== protocolVersion) {
        socket.destroy(
          new Error(
            `The other side speaks version ${version} of the signer's protocol, this one ${protocolVersion}: restart both with one release.`,
          ),
        );
        return;
      }
      if (rest.length < 4 + length) return;
      onFrame({
        id: rest.readUInt32BE(5),
        kind: rest.readUInt8(9),
        content: rest.subarray(headBytes, 4 + length),
      });
      rest = rest.subarray(4 + length);
    }
  });
}
