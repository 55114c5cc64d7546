package io.tollgate;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.internal.signing.WireTime;
import java.time.Instant;

/** Times of the API. Models keep the text, so parsing loses nothing. */
public final class Times {
  private Times() {}

  /** Parses a time of a response or webhook, such as {@code 2026-11-15T09:30:07+00:00}. */
  public static Instant parse(String text) {
    var time = WireTime.parse(text);
    if (time == null) throw new ConfigurationException("Invalid time: " + text);
    return time;
  }

  /** Formats a time for the API: whole seconds and a numeric offset. */
  public static String format(Instant time) {
    return WireTime.write(time);
  }
}
