/** One sending of a notification, and what came of it. */
export interface Attempt {
  readonly at: Date;
  /** Of the gateway's key that it was signed with. */
  readonly keyVersion: number;
  /** Zero when there was no answer at all. */
  readonly httpStatus: number;
  /** Why there was none, in words that tell a merchant nothing about our network. */
  readonly failure: string | undefined;
  /** Judged by all of the answer. */
  readonly isAcknowledged: boolean;
  /** As much of it as is kept. */
  readonly answer: string;
  readonly timings: Timings;
}

/** Milliseconds from the beginning of the attempt; undefined for what it did not come to. */
export interface Timings {
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
}

/** A merchant has taken note only when HTTP 200 carries a result of status S. */
export function acknowledges(httpStatus: number, answer: string): boolean {
  if (httpStatus !== 200) return false;
  try {
    const said: unknown = JSON.parse(answer);
    return (said as { result?: { resultStatus?: unknown } }).result?.resultStatus === "S";
  } catch {
    return false;
  }
}
