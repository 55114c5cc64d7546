/** One attempt to deliver a notification, and its outcome. */
export interface Attempt {
  readonly at: Date;
  /** Version of the gateway key that signed it. */
  readonly keyVersion: number;
  /** Zero when there was no answer at all. */
  readonly httpStatus: number;
  /** Why it failed, or, in the sandbox, why its answer does not acknowledge: in words that tell a merchant nothing about our network. */
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
  return httpStatus === 200 && statusIn(answer) === "S";
}

/** Why an answer does not acknowledge, for whoever wrote what gave it; at most 64 characters. */
export function whyNotAcknowledged(httpStatus: number, answer: string): string {
  if (httpStatus >= 300 && httpStatus < 400)
    return `${httpStatus}, but 200 is expected; no redirect is followed`;
  if (httpStatus !== 200) return `${httpStatus}, but 200 is expected`;
  const status = statusIn(answer);
  if (status === "F" || status === "U") return `200, but resultStatus is "${status}" and not "S"`;
  return '200, but the body is not {"result":{"resultStatus":"S"}}';
}

function statusIn(answer: string): unknown {
  try {
    const said: unknown = JSON.parse(answer);
    return (said as { result?: { resultStatus?: unknown } }).result?.resultStatus;
  } catch {
    return undefined;
  }
}
