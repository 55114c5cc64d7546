import type { Attempt, Timings } from "../notifications/attempt.ts";

/** How an attempt failed, as it was. Only the operator may know all of it: see `told`. */
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
  /** Zero when there was no answer at all. */
  readonly httpStatus: number;
  /** As far as it was read, at most 16 kB. */
  readonly answer: string;
  readonly failure: Failure | undefined;
  /** The truth about the failure, for the operator's log alone. */
  readonly detail: string | undefined;
  readonly timings: Timings;
}

/** The part of the outcome that the merchant may see. */
export type Told = Pick<Attempt, "httpStatus" | "answer" | "failure" | "timings">;

/** Connect timeout: for DNS, TCP and TLS together. */
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
 * Against SSRF probing: a merchant chooses where we call, and must not learn from us what is there, inside of
 * our network. So a blocked address, a name that does not exist and a closed port look the same, also in their
 * timing.
 */
export function told({ httpStatus, answer, failure, timings }: Sent): Told {
  if (failure === "blocked" || failure === "no address" || failure === "no connection") return unreached;
  return { httpStatus, answer: shortened(answer), failure, timings };
}

/** Cut between characters, and without NUL, which PostgreSQL does not store in text. */
function shortened(answer: string): string {
  const text = answer.replaceAll("\0", " ");
  if (text.length * 3 <= answerBytesKept) return text;
  const bytes = new Uint8Array(answerBytesKept);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, written));
}
