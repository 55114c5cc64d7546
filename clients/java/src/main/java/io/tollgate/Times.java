package io.tollgate;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.internal.signing.WireTime;
import java.time.Instant;

/** Times of the interface. Models keep the text, so nothing is lost by reading it. */
public final class Times {
  private Times() {}

  /** Reads a time of an answer or a notification, such as {@code 2026-11-15T09:30:07+00:00}. */
  public static Instant parse(String text) {
    var time = WireTime.parse(text);
    if (time == null) throw new ConfigurationException("This is no time: " + text);
    return time;
  }

  /** Writes a time as the interface has it: whole seconds and a numeric offset. */
  public static String format(Instant time) {
    return WireTime.write(time);
  }
}
