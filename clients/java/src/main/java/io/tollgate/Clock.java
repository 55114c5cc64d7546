package io.tollgate;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The time source of the library. Tests pass their own. */
public interface Clock {
  Instant now();

  /** Completes after this time. */
  CompletableFuture<Void> sleep(Duration duration);

  /** The system clock. */
  static Clock system() {
    return new Clock() {
      @Override
      public Instant now() {
        return Instant.now();
      }

      @Override
      public CompletableFuture<Void> sleep(Duration duration) {
        return CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(duration.toMillis(), TimeUnit.MILLISECONDS));
      }
    };
  }
}
