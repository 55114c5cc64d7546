package io.tollgate.internal.call;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;

/** The delay before the next attempt. */
final class RetryDelay {
  private static final double FIRST_MS = 500;
  private static final double LONGEST_MS = 5_000;
  /**
   * The shortest delay before a retry. It is not zero, because the next attempt must have a different time.
   */
  private static final double SHORTEST_MS = 50;
  private static final Duration RETRY_AFTER_MAX = Duration.ofSeconds(60);
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

  private RetryDelay() {}

  /**
   * Returns the delay before the next attempt; null if the gateway asks for a longer delay than the client
   * allows.
   */
  static Duration before(int retriesBefore, Duration retryAfter, DoubleSupplier random) {
    if (retryAfter != null && retryAfter.compareTo(RETRY_AFTER_MAX) > 0) return null;
    double longestMs = Math.min(LONGEST_MS, FIRST_MS * Math.pow(2, retriesBefore));
    var delay = Duration.ofMillis(Math.round(SHORTEST_MS + random.getAsDouble() * (longestMs - SHORTEST_MS)));
    return retryAfter != null && retryAfter.compareTo(delay) > 0 ? retryAfter : delay;
  }

  /** Reads {@code Retry-After}: seconds, or a date. Returns null if the header is missing or invalid. */
  static Duration readRetryAfter(String text, Instant now) {
    if (SECONDS.matcher(text.strip()).matches()) return Duration.ofSeconds(Long.parseLong(text.strip()));
    try {
      var at = ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return at.isBefore(now) ? Duration.ZERO : Duration.between(now, at);
    } catch (DateTimeException problem) {
      return null;
    }
  }
}
