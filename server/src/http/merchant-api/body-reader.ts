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
const bodyBudgetBytes = 20 * 1024 * 1024;
/** Overhead of a chunk in addition to its bytes. */
const chunkOverheadBytes = 512;

interface Reading {
  readonly sender: string;
  /** The share of the memory budget that this body uses. */
  bytes: number;
  readonly evict: () => void;
}

/** The bodies of one sender. */
interface SenderUsage {
  bytes: number;
  /** Oldest first. */
  readonly readings: Set<Reading>;
}

export function openBodyReader(bytesInAllMax = bodyBudgetBytes): BodyReader {
  const usageBySender = new Map<string, SenderUsage>();
  let chargedBytes = 0;

  function join(reading: Reading): void {
    const share = usageBySender.get(reading.sender) ?? { bytes: 0, readings: new Set() };
    share.readings.add(reading);
    usageBySender.set(reading.sender, share);
  }

  const isReading = (reading: Reading): boolean =>
    usageBySender.get(reading.sender)?.readings.has(reading) ?? false;

  function leave(reading: Reading): void {
    const share = usageBySender.get(reading.sender);
    if (!share?.readings.delete(reading)) return;
    share.bytes -= reading.bytes;
    chargedBytes -= reading.bytes;
    if (share.readings.size === 0) usageBySender.delete(reading.sender);
  }

  /**
   * Charges bytes to the memory budget. Over budget, the reader evicts the oldest body of the sender that uses most
   * memory. So neither slow bodies (slowloris) nor many large ones from one network can starve others.
   */
  function charge(reading: Reading, bytes: number): void {
    reading.bytes += bytes;
    chargedBytes += bytes;
    const usage = usageBySender.get(reading.sender);
    if (usage) usage.bytes += bytes;
    while (chargedBytes > bytesInAllMax) {
      const [oldest] = largestOf(usageBySender)?.readings ?? [];
      if (!oldest) return;
      leave(oldest);
      oldest.evict();
    }
  }

  return {
    read(message, sender, bytesMax) {
      if (Number(message.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too long");
      return new Promise((resolve, reject) => {
        let chunks: Buffer[] = [];
        let bytes = 0;
        const reading: Reading = { sender, bytes: 0, evict: () => end("no room") };
        join(reading);
        const end = (outcome: Buffer | UnreadBody): void => {
          leave(reading);
          chunks = [];
          resolve(outcome);
        };
        const rejectDisconnected = (): void => {
          leave(reading);
          reject(new Error("The caller disconnected before the request was complete."));
        };
        message.once("tiny-chunks", () => end("in tiny chunks"));
        if (hasSentTinyChunks(message)) return end("in tiny chunks");
        // If the socket closed before this listener was added, `close` does not fire again.
        if (message.destroyed) rejectDisconnected();
        message.on("data", (chunk: Buffer) => {
          if (!isReading(reading)) return;
          bytes += chunk.length;
          if (bytes > bytesMax) return end("too long");
          if (isInTinyChunks(chunks.length + 1, bytes)) return end("in tiny chunks");
          chunks.push(chunk);
          charge(reading, chunk.length + chunkOverheadBytes);
        });
        message.on("end", () => end(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
        message.on("error", (error) => {
          leave(reading);
          reject(error);
        });
        // `close` fires for complete requests too. Creating an error for each of them would cost more than reading the
        // body.
        message.on("close", () => void (message.complete || rejectDisconnected()));
      });
    },
  };
}

function largestOf(shares: ReadonlyMap<string, SenderUsage>): SenderUsage | undefined {
  let largest: SenderUsage | undefined;
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
