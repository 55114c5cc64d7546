import type { IncomingMessage } from "node:http";
import { hasCrumbled, isInCrumbs } from "./crumbs.ts";

/** Why a body was not read to its end. */
export type UnreadBody = "too long" | "in crumbs" | "no room";

/** Reads the bodies of callers of whom nothing is proven yet, all of them together within one budget. */
export interface BodyReader {
  read(message: IncomingMessage, bytesMax: number): Promise<Buffer | UnreadBody>;
}

/** What all bodies that are coming in may hold of our memory. */
const bodyBytesInAllMax = 64 * 1024 * 1024;
/** What a piece holds beside its bytes. */
const pieceBytes = 512;

interface Reading {
  /** What it holds. */
  bytes: number;
  readonly giveUp: () => void;
}

export function openBodyReader(bytesInAllMax = bodyBytesInAllMax): BodyReader {
  // In the order in which they began.
  const readings = new Set<Reading>();
  let held = 0;

  function leave(reading: Reading): void {
    if (readings.delete(reading)) held -= reading.bytes;
  }

  /** Makes room: who has been sending longest goes, so that nobody keeps others out by never coming to an end. */
  function hold(reading: Reading, bytes: number): void {
    reading.bytes += bytes;
    held += bytes;
    while (held > bytesInAllMax) {
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
        // Who went before anybody listened does not go again.
        if (message.destroyed) gone();
        message.on("data", (piece: Buffer) => {
          if (!readings.has(reading)) return;
          bytes += piece.length;
          if (bytes > bytesMax) return end("too long");
          if (isInCrumbs(pieces.length + 1, bytes)) return end("in crumbs");
          pieces.push(piece);
          hold(reading, piece.length + pieceBytes);
        });
        message.on("end", () => end(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
        message.on("error", (error) => {
          leave(reading);
          reject(error);
        });
        // Every request closes in the end, and an error costs more than reading the body did.
        message.on("close", () => void (message.complete || gone()));
      });
    },
  };
}

/** How long a body says it is; without end when it comes in chunks and does not say. */
export function announcedBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Infinity;
  return Number(headers["content-length"] ?? 0);
}

/**
 * Whether to end the connection with the answer: the rest of a body in chunks, which nobody will read, would still be
 * taken apart chunk by chunk.
 */
export function leavesChunksUnread(message: IncomingMessage): boolean {
  return message.headers["transfer-encoding"] !== undefined && !message.complete;
}
