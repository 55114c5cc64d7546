import type { Attempt, Timings } from "../notifications/delivery-attempt.ts";

/** The true cause of a failed attempt, for the operator only. Merchants see the outcome of `hideNetworkDetails`. */
export type DeliveryFailure =
  | "blocked"
  | "no address"
  | "no connection"
  | "tls"
  | "timeout"
  | "too long"
  | "broken answer";

/** The outcome of one POST to a merchant's system. */
export interface PostOutcome {
  /** HTTP status of the response; zero if there was no response. */
  readonly httpStatus: number;
  /** The part of the response that was read, at most 16 kB. */
  readonly answer: string;
  readonly failure: DeliveryFailure | undefined;
  /** Details of the failure, for the operator's log only. */
  readonly detail: string | undefined;
  readonly timings: Timings;
}

/** The part of the outcome that the merchant may see. */
export type VisibleOutcome = Pick<Attempt, "httpStatus" | "answer" | "failure" | "timings">;

/** Connect timeout in milliseconds: for DNS, TCP and TLS together. */
export const connectMsMax = 3_000;

const storedAnswerBytesMax = 1024;

const unreachableOutcome: VisibleOutcome = {
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
export function hideNetworkDetails({ httpStatus, answer, failure, timings }: PostOutcome): VisibleOutcome {
  if (failure === "blocked" || failure === "no address" || failure === "no connection")
    return unreachableOutcome;
  return { httpStatus, answer: truncateAnswer(answer), failure, timings };
}

/** Truncates a text at a character boundary, and removes NUL, which PostgreSQL does not store in text. */
function truncateAnswer(answer: string): string {
  const text = answer.replaceAll("\0", " ");
  if (text.length * 3 <= storedAnswerBytesMax) return text;
  const bytes = new Uint8Array(storedAnswerBytesMax);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, written));
}
