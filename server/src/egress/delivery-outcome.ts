import type { Attempt, Timings } from "../notifications/attempt.ts";

/** The true cause of a failed attempt, for the operator only. Merchants see the outcome of `told`. */
export type Failure =
  | "blocked"
  | "no address"
  | "no connection"
  | "tls"
  | "timeout"
  | "too long"
  | "broken answer";

/** The outcome of one POST to a merchant's system. */
export interface Sent {
  /** HTTP status of the response; zero if there was no response. */
  readonly httpStatus: number;
  /** The part of the response that was read, at most 16 kB. */
  readonly answer: string;
  readonly failure: Failure | undefined;
  /** Details of the failure, for the operator's log only. */
  readonly detail: string | undefined;
  readonly timings: Timings;
}

/** The part of the outcome that the merchant may see. */
export type Told = Pick<Attempt, "httpStatus" | "answer" | "failure" | "timings">;

/** Connect timeout in milliseconds: for DNS, TCP and TLS together. */
export const connectMsMax = 3_000;

const answerBytesKept = 1024;

const unreached: Told = {
  httpStatus: 0,
  answer: "",
  failure: "could not be reached",
  timings: {
    dnsMs: undefined,
    connectMs: undefined,
    tlsMs: undefined,
    firstByteMs: undefined,
    totalMs: connectMsMax,
  },
};

/**
 * The outcome as the merchant may see it. Protection against SSRF probing: a merchant chooses the address that the
 * gateway calls, and must not learn what exists in the gateway's network. So a blocked address, an unknown name and a
 * closed port look the same, also in their timing.
 */
export function told({ httpStatus, answer, failure, timings }: Sent): Told {
  if (failure === "blocked" || failure === "no address" || failure === "no connection") return unreached;
  return { httpStatus, answer: shortened(answer), failure, timings };
}

/** Truncates a text at a character boundary, and removes NUL, which PostgreSQL does not store in text. */
function shortened(answer: string): string {
  const text = answer.replaceAll("\0", " ");
  if (text.length * 3 <= answerBytesKept) return text;
  const bytes = new Uint8Array(answerBytesKept);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, written));
}
