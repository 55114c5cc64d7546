package io.tollgate;

import java.time.Duration;
import java.util.Map;

/** What happened, for a log. */
public sealed interface LogEntry {
  /** Something is set up in a way that will not work. */
  record Warning(String message) implements LogEntry {}

  /**
   * An operation was called.
   *
   * @param body without what must not be written down
   */
  record Request(String operation, String requestId, Map<String, Object> body) implements LogEntry {}

  /**
   * An attempt came to its end.
   *
   * @param outcome the result code, or the name of the exception
   */
  record Response(
      String operation, String requestId, String traceId, int attempt, Duration duration, String outcome)
      implements LogEntry {}

  /** Another attempt will be made. */
  record Retry(String operation, String requestId, int attempt, Duration delay, String outcome) implements LogEntry {}
}
