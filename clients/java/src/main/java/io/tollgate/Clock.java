package io.tollgate;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Time, as the library knows it. Tests pass their own. */
public interface Clock {
  Instant now();

  /** Completes after so long. */
  CompletableFuture<Void> sleep(Duration duration);

  /** The time of this machine. */
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
