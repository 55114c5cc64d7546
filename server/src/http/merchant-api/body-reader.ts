import type { IncomingMessage } from "node:http";
import { hasSentTinyChunks, isInTinyChunks } from "./tiny-chunk-guard.ts";

/** Why a body was not read completely. */
export type UnreadBody = "too long" | "in tiny chunks" | "no room";

/** Reads bodies of unauthenticated clients, all within one memory budget. */
export interface BodyReader {
  /** `sender` is the key by which bodies are counted: a network, or the payment of a checkout link. */
  read(message: IncomingMessage, sender: string, bytesMax: number): Promise<Buffer | UnreadBody>;
}

/** Memory budget in bytes for all bodies that are being read. */
const bodyBytesInAllMax = 20 * 1024 * 1024;
/** Overhead of a chunk in addition to its bytes. */
const pieceBytes = 512;

interface Reading {
  readonly sender: string;
  /** The share of the memory budget that this body uses. */
  bytes: number;
  readonly giveUp: () => void;
}

/** The bodies of one sender. */
interface Share {
  bytes: number;
  /** Oldest first. */
  readonly readings: Set<Reading>;
}

export function openBodyReader(bytesInAllMax = bodyBytesInAllMax): BodyReader {
  const shares = new Map<string, Share>();
  let chargedBytes = 0;

  function join(reading: Reading): void {
    const share = shares.get(reading.sender) ?? { bytes: 0, readings: new Set() };
    share.readings.add(reading);
    shares.set(reading.sender, share);
  }

  const isReading = (reading: Reading): boolean => shares.get(reading.sender)?.readings.has(reading) ?? false;

  function leave(reading: Reading): void {
    const share = shares.get(reading.sender);
    if (!share?.readings.delete(reading)) return;
    share.bytes -= reading.bytes;
    chargedBytes -= reading.bytes;
    if (share.readings.size === 0) shares.delete(reading.sender);
  }

  /**
   * Charges bytes to the memory budget. Over budget, the reader evicts the oldest body of the sender that uses most
   * memory. So neither slow bodies (slowloris) nor many large ones from one network can starve others.
   */
  function charge(reading: Reading, bytes: number): void {
    reading.bytes += bytes;
    chargedBytes += bytes;
    const own = shares.get(reading.sender);
    if (own) own.bytes += bytes;
    while (chargedBytes > bytesInAllMax) {
      const [oldest] = largestOf(shares)?.readings ?? [];
      if (!oldest) return;
      leave(oldest);
      oldest.giveUp();
    }
  }

  return {
    read(message, sender, bytesMax) {
      if (Number(message.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too long");
      return new Promise((resolve, reject) => {
        let pieces: Buffer[] = [];
        let bytes = 0;
        const reading: Reading = { sender, bytes: 0, giveUp: () => end("no room") };
        join(reading);
        const end = (outcome: Buffer | UnreadBody): void => {
          leave(reading);
          pieces = [];
          resolve(outcome);
        };
        const gone = (): void => {
          leave(reading);
          reject(new Error("The caller disconnected before the request was complete."));
        };
        message.once("tiny-chunks", () => end("in tiny chunks"));
        if (hasSentTinyChunks(message)) return end("in tiny chunks");
        // If the socket closed before this listener was added, `close` does not fire again.
        if (message.destroyed) gone();
        message.on("data", (piece: Buffer) => {
          if (!isReading(reading)) return;
          bytes += piece.length;
          if (bytes > bytesMax) return end("too long");
          if (isInTinyChunks(pieces.length + 1, bytes)) return end("in tiny chunks");
          pieces.push(piece);
          charge(reading, piece.length + pieceBytes);
        });
        message.on("end", () => end(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
        message.on("error", (error) => {
          leave(reading);
          reject(error);
        });
        // `close` fires for complete requests too. Creating an error for each of them would cost more than reading the
        // body.
        message.on("close", () => void (message.complete || gone()));
      });
    },
  };
}

function largestOf(shares: ReadonlyMap<string, Share>): Share | undefined {
  let largest: Share | undefined;
  for (const share of shares.values()) if (!largest || share.bytes > largest.bytes) largest = share;
  return largest;
}

/** The announced length of a body; Infinity when it is chunked. */
export function announcedBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Infinity;
  return Number(headers["content-length"] ?? 0);
}

/** Whether to close the connection with the response. Otherwise Node needlessly parses the rest of a chunked body. */
export function leavesChunksUnread(message: IncomingMessage): boolean {
  return message.headers["transfer-encoding"] !== undefined && !message.complete;
}
