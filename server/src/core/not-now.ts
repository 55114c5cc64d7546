/** Thrown before anything was sent: it was no attempt, and the same can be tried a moment later. */
export class NotNow extends Error {
  override readonly name: string = "NotNow";
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
