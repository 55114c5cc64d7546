/** Thrown before anything was sent: it was no attempt, and a retry a moment later is safe. */
export class NotNow extends Error {
  override readonly name: string = "NotNow";
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
