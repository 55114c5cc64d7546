package io.tollgate.internal;

import io.tollgate.LogEntry;
import io.tollgate.Logger;
import io.tollgate.exception.ConfigurationException;
import java.util.List;

/**
 * Writes lines to standard error at the level of `TOLLGATE_LOG`, so that you can debug without a code change.
 */
public final class EnvironmentLogger {
  private static final List<String> LEVELS = List.of("debug", "info", "warn");

  private EnvironmentLogger() {}

  /** @param level the value of TOLLGATE_LOG; null if it is not set */
  public static Logger of(String level) {
    if (level == null) return entry -> {};
    int from = LEVELS.indexOf(level);
    if (from < 0) throw new ConfigurationException("TOLLGATE_LOG must be debug, info or warn, not " + level + ".");
    return entry -> {
      if (levelOf(entry) >= from) System.err.println("tollgate " + entry);
    };
  }

  private static int levelOf(LogEntry entry) {
    if (entry instanceof LogEntry.Request) return 0;
    return entry instanceof LogEntry.Response ? 1 : 2;
  }
}
