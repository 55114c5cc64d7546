package io.tollgate.internal;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.InvalidKeyException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A key of the environment: its text stands in the variable, or in the file that its twin {@code …_FILE} names. That both
 * are set is refused: nobody would know which of them counts.
 */
public final class EnvironmentKey {
  private EnvironmentKey() {}

  /** Null if neither is set. */
  public static <K> K read(String variable, Function<String, K> read, UnaryOperator<String> variables) {
    var text = given(variables.apply(variable));
    var file = given(variables.apply(variable + "_FILE"));
    if (text != null && file != null) {
      throw new ConfigurationException(variable + " and " + variable + "_FILE are both set. Set one of them.");
    }
    if (file == null) return text == null ? null : read.apply(text);
    var found = textOf(file, variable + "_FILE");
    try {
      return read.apply(found);
    } catch (InvalidKeyException problem) {
      throw new InvalidKeyException(
          problem.reason(), problem.getMessage() + " (" + variable + "_FILE: " + file + ")");
    }
  }

  private static String given(String value) {
    return value == null || value.isEmpty() ? null : value;
  }

  private static String textOf(String file, String variable) {
    var path = pathOf(file);
    if (path == null || !Files.exists(path)) {
      throw new ConfigurationException(variable + " names " + file + ", and there is no such file, seen from "
          + System.getProperty("user.dir") + ".");
    }
    try {
      return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new ConfigurationException(variable + " names " + file
          + ", which cannot be read: it is no file, or its permissions keep this program out.");
    }
  }

  private static Path pathOf(String file) {
    try {
      return Path.of(file);
    } catch (InvalidPathException noPath) {
      return null;
    }
  }
}
