package io.tollgate.conformance;

import io.tollgate.internal.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The JSON files of the folder above, as their README describes them. */
final class Vectors {
  private static final Map<String, Object> KEYS = read("keys");

  private Vectors() {}

  static Map<String, Object> read(String file) {
    try {
      return Json.readObject(Files.readAllBytes(Path.of("conformance", file + ".json")));
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** @param list a list in the file, such as {@code cases} */
  static List<Map<String, Object>> cases(String file, String list) {
    return ((List<?>) read(file).get(list)).stream().map(Vectors::fields).toList();
  }

  /** @param form such as {@code publicSpki} */
  static String key(Object name, String form) {
    return text(fields(KEYS.get(name)), form);
  }

  static String text(Map<String, Object> fields, String name) {
    return (String) fields.get(name);
  }

  static int number(Map<String, Object> fields, String name) {
    return ((Long) fields.get(name)).intValue();
  }

  /** An object; empty if it is absent. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> fields(Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }
}
