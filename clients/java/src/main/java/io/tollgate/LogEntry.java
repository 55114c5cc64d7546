package io.tollgate;

import java.time.Duration;
import java.util.Map;

/** A log entry. */
public sealed interface LogEntry {
  /** A setting that will not work. */
  record Warning(String message) implements LogEntry {}

  /**
   * A call of an operation started.
   *
   * @param body without the fields that must not be logged
   */
  record Request(String operation, String requestId, Map<String, Object> body) implements LogEntry {}

  /**
   * An attempt ended.
   *
   * @param outcome the result code, or the name of the exception
   */
  record Response(
      String operation, String requestId, String traceId, int attempt, Duration duration, String outcome)
      implements LogEntry {}

  /** A retry will follow. */
  record Retry(String operation, String requestId, int attempt, Duration delay, String outcome) implements LogEntry {}
}
