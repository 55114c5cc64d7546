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
 * Reads a key from the environment: its text from the variable, or its file from the variable with the suffix
 * {@code _FILE}. If both are set, it throws, because the choice would be ambiguous.
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
      throw new ConfigurationException(variable + " names " + file + ", but this file does not exist. Working directory: "
          + System.getProperty("user.dir") + ".");
    }
    try {
      return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new ConfigurationException(variable + " names " + file
          + ", which cannot be read: it is not a file, or this program has no permission to read it.");
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
