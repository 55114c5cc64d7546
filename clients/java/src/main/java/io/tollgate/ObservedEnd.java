package io.tollgate;

import java.time.Duration;

/** How a call has ended, with all of its attempts. */
public final class ObservedEnd {
  private final String outcome;
  private final Duration duration;
  private final int attempts;
  private final String traceId;
  private final Throwable problem;

  /** For tests of an {@link Observer}. */
  public ObservedEnd(String outcome, Duration duration, int attempts, String traceId, Throwable problem) {
    this.outcome = outcome;
    this.duration = duration;
    this.attempts = attempts;
    this.traceId = traceId;
    this.problem = problem;
  }

  /** The result code, or the name of the exception: {@code SUCCESS}, {@code TimeoutException}. */
  public String outcome() {
    return outcome;
  }

  /** From the beginning to the end, with the pauses between attempts. */
  public Duration duration() {
    return duration;
  }

  /** How often it was sent. */
  public int attempts() {
    return attempts;
  }

  /** The gateway's name for the call; null if it said none. */
  public String traceId() {
    return traceId;
  }

  /** What was thrown; null if nothing was. */
  public Throwable problem() {
    return problem;
  }
}
