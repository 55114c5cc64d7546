package io.tollgate;

/** Hears what happens. Nothing that it is told is secret. */
@FunctionalInterface
public interface Logger {
  void log(LogEntry entry);
}
