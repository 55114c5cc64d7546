/** One attempt to deliver a notification, and its outcome. */
export interface Attempt {
  readonly at: Date;
  /** Version of the gateway key that signed it. */
  readonly keyVersion: number;
  /** Zero when there was no answer at all. */
  readonly httpStatus: number;
  /** Why it failed, in words that tell a merchant nothing about our network. */
  readonly failure: string | undefined;
  /** By the whole answer, of which `answer` may be a part. */
  readonly isAcknowledged: boolean;
  /** The beginning of the answer, as far as it is kept. */
  readonly answer: string;
  readonly timings: Timings;
}

/** Milliseconds from the beginning of the attempt; undefined for a step that was not reached. */
export interface Timings {
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
}

/** A merchant acknowledges by HTTP 200 with a result of status S, and by nothing else. */
export function acknowledges(httpStatus: number, answer: string): boolean {
  if (httpStatus !== 200) return false;
  try {
    const said: unknown = JSON.parse(answer);
    return (said as { result?: { resultStatus?: unknown } }).result?.resultStatus === "S";
  } catch {
    return false;
  }
}
