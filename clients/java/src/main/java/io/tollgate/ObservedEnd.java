package io.tollgate;

import java.time.Duration;

/** The end of a call, with all of its attempts. */
public final class ObservedEnd {
  private final String outcome;
  private final Duration duration;
  private final int attempts;
  private final String traceId;
  private final Throwable problem;

  /** Creates the object for tests of an {@link Observer}. */
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

  /** The total time, including the pauses between attempts. */
  public Duration duration() {
    return duration;
  }

  /** The number of times the request was sent. */
  public int attempts() {
    return attempts;
  }

  /** The gateway's id of the request; null if there was none. */
  public String traceId() {
    return traceId;
  }

  /** The exception that was thrown; null if there was none. */
  public Throwable problem() {
    return problem;
  }
}
