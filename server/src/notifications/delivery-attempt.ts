/** One attempt to deliver a webhook, and its outcome. */
export interface Attempt {
  readonly at: Date;
  /** Version of the gateway key with which the attempt was signed. */
  readonly keyVersion: number;
  /** HTTP status of the response; zero if there was no response. */
  readonly httpStatus: number;
  /**
   * Why the attempt failed. In the sandbox, also why the response does not acknowledge the webhook. The text reveals
   * nothing about the gateway's network.
   */
  readonly failure: string | undefined;
  /** Whether the response acknowledges the webhook. The complete response decides, of which `answer` may be a part. */
  readonly isAcknowledged: boolean;
  /** The stored beginning of the response. */
  readonly answer: string;
  readonly timings: Timings;
}

/** Milliseconds from the start of the attempt; undefined for a step that was not reached. */
export interface Timings {
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
}

/** `isAcknowledgingAnswer` returns whether a response acknowledges a webhook: only HTTP 200 with result status S does. */
export function isAcknowledgingAnswer(httpStatus: number, answer: string): boolean {
  return httpStatus === 200 && readResultStatus(answer) === "S";
}

/**
 * `explainMissingAcknowledgement` returns why a response does not acknowledge a webhook, for the developer of the merchant's
 * endpoint; at most 64 characters.
 */
export function explainMissingAcknowledgement(httpStatus: number, answer: string): string {
  if (httpStatus >= 300 && httpStatus < 400)
    return `${httpStatus}, but 200 is expected; no redirect is followed`;
  if (httpStatus !== 200) return `${httpStatus}, but 200 is expected`;
  const status = readResultStatus(answer);
  if (status === "F" || status === "U") return `200, but resultStatus is "${status}" and not "S"`;
  return '200, but the body is not {"result":{"resultStatus":"S"}}';
}

function readResultStatus(answer: string): unknown {
  try {
    const parsed: unknown = JSON.parse(answer);
    return (parsed as { result?: { resultStatus?: unknown } }).result?.resultStatus;
  } catch {
    return undefined;
  }
}
