package io.tollgate.testing;

import io.tollgate.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A clock that stands still until it is moved. Whoever sleeps on it is awake at once, and later. */
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

  /** How long everybody has slept, one after the other. */
  public synchronized List<Duration> slept() {
    return List.copyOf(slept);
  }
}
