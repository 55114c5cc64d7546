package io.tollgate.internal.signing;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/** Times in headers: 13 digits of milliseconds, or ISO 8601 with a time zone. */
public final class WireTime {
  private static final Pattern MILLISECONDS = Pattern.compile("[0-9]{13}");
  private static final Pattern ISO = Pattern.compile(
      "([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:?[0-9]{2})");
  private static final DateTimeFormatter WRITTEN = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'+00:00'");
  private static final int OFFSET_SECONDS_MAX = 14 * 3600;

  private WireTime() {}

  /** The parsed time, or null. */
  public static Instant parse(String text) {
    if (MILLISECONDS.matcher(text).matches()) return Instant.ofEpochMilli(Long.parseLong(text));
    var match = ISO.matcher(text);
    if (!match.matches()) return null;
    try {
      var offset = ZoneOffset.of(match.group(3));
      if (Math.abs(offset.getTotalSeconds()) > OFFSET_SECONDS_MAX) return null;
      var fraction = match.group(2) == null ? "" : match.group(2);
      int nanos = Integer.parseInt((fraction + "000000000").substring(0, 9));
      return LocalDateTime.parse(match.group(1)).withNano(nanos).toInstant(offset);
    } catch (DateTimeException problem) {
      return null;
    }
  }

  /** Formats a time like the gateway: whole seconds and a numeric offset. */
  public static String write(Instant time) {
    return WRITTEN.format(time.atOffset(ZoneOffset.UTC));
  }
}
