package io.tollgate.internal.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Immutable copies. Null stays null, because it means that a field is absent. */
public final class Immutable {
  private Immutable() {}

  public static <T> List<T> list(List<T> values) {
    return values == null ? null : List.copyOf(values);
  }

  public static <T> Map<String, T> map(Map<String, T> values) {
    return values == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /** Unknown fields; empty instead of null. */
  public static Map<String, Object> fields(Map<String, Object> values) {
    return values == null || values.isEmpty() ? Map.of() : map(values);
  }
}
