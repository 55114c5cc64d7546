package io.tollgate.testing;

import io.tollgate.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A clock that does not advance by itself. `sleep` returns at once and advances the clock by its duration.
 */
public final class FakeClock implements Clock {
  private final List<Duration> slept = new ArrayList<>();
  private Instant now;

  public FakeClock() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  public FakeClock(Instant start) {
    this.now = start;
  }

  @Override
  public synchronized Instant now() {
    return now;
  }

  @Override
  public synchronized CompletableFuture<Void> sleep(Duration duration) {
    slept.add(duration);
    advance(duration);
    return CompletableFuture.completedFuture(null);
  }

  public synchronized void advance(Duration duration) {
    now = now.plus(duration);
  }

  /** All sleep times, in order. */
  public synchronized List<Duration> slept() {
    return List.copyOf(slept);
  }
}
