import type { IncomingMessage } from "node:http";
import { hasCrumbled, isInCrumbs } from "./crumbs.ts";

/** Why a body was not read to its end. */
export type UnreadBody = "too long" | "in crumbs" | "no room";

/** Reads bodies of unauthenticated callers, all within one memory budget. */
export interface BodyReader {
  read(message: IncomingMessage, bytesMax: number): Promise<Buffer | UnreadBody>;
}

/** Memory budget for all bodies that are being read. */
const bodyBytesInAllMax = 20 * 1024 * 1024;
/** Overhead of a chunk beside its bytes. */
const pieceBytes = 512;

interface Reading {
  /** Its share of the budget. */
  bytes: number;
  readonly giveUp: () => void;
}

export function openBodyReader(bytesInAllMax = bodyBytesInAllMax): BodyReader {
  // Oldest first.
  const readings = new Set<Reading>();
  let chargedBytes = 0;

  function leave(reading: Reading): void {
    if (readings.delete(reading)) chargedBytes -= reading.bytes;
  }

  /** Over budget, the oldest read is evicted, so that slow senders (slowloris) cannot starve the others. */
  function charge(reading: Reading, bytes: number): void {
    reading.bytes += bytes;
    chargedBytes += bytes;
    while (chargedBytes > bytesInAllMax) {
      const [oldest] = readings;
      if (!oldest) return;
      leave(oldest);
      oldest.giveUp();
    }
  }

  return {
    read(message, bytesMax) {
      if (Number(message.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too long");
      return new Promise((resolve, reject) => {
        let pieces: Buffer[] = [];
        let bytes = 0;
        const reading: Reading = { bytes: 0, giveUp: () => end("no room") };
        readings.add(reading);
        const end = (outcome: Buffer | UnreadBody): void => {
          leave(reading);
          pieces = [];
          resolve(outcome);
        };
        const gone = (): void => {
          leave(reading);
          reject(new Error("The caller went away in the middle of its request."));
        };
        message.once("crumbs", () => end("in crumbs"));
        if (hasCrumbled(message)) return end("in crumbs");
        // If the socket closed before we subscribed, `close` does not fire again.
        if (message.destroyed) gone();
        message.on("data", (piece: Buffer) => {
          if (!readings.has(reading)) return;
          bytes += piece.length;
          if (bytes > bytesMax) return end("too long");
          if (isInCrumbs(pieces.length + 1, bytes)) return end("in crumbs");
          pieces.push(piece);
          charge(reading, piece.length + pieceBytes);
        });
        message.on("end", () => end(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
        message.on("error", (error) => {
          leave(reading);
          reject(error);
        });
        // `close` fires for complete requests too; an error for each would cost more than reading did.
        message.on("close", () => void (message.complete || gone()));
      });
    },
  };
}

/** The announced length of a body; Infinity when it is chunked. */
export function announcedBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Infinity;
  return Number(headers["content-length"] ?? 0);
}

/**
 * Whether to close the connection with the answer: Node would parse the rest of a chunked body for nothing.
 */
export function leavesChunksUnread(message: IncomingMessage): boolean {
  return message.headers["transfer-encoding"] !== undefined && !message.complete;
}
