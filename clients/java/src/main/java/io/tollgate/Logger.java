package io.tollgate;

/** Receives log entries. They contain no secrets. */
@FunctionalInterface
public interface Logger {
  void log(LogEntry entry);
}
