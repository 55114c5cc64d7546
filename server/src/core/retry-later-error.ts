/** Thrown before anything was sent. The error does not count as an attempt, and a retry a moment later is safe. */
export class RetryLaterError extends Error {
  override readonly name: string = "RetryLaterError";
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
