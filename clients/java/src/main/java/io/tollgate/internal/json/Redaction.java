package io.tollgate.internal.json;

import io.tollgate.internal.generated.SecretFields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Masks secrets for logs. */
public final class Redaction {
  private static final String HIDDEN = "[hidden]";
  private static final Set<String> SECRET = SecretFields.NAMES.stream()
      .map(name -> name.toLowerCase(Locale.ROOT))
      .collect(Collectors.toUnmodifiableSet());
  /** Parts of names that indicate a secret, in fields that this library does not know. */
  private static final List<String> TELLING = List.of(
      "token", "secret", "password", "cvv", "cvc", "cardno", "cardnumber", "authcode", "privatekey");

  private Redaction() {}

  /** A copy in which the values of secret fields are masked, on every level. */
  public static Map<String, Object> redacted(Map<String, Object> fields) {
    var copy = new LinkedHashMap<String, Object>();
    fields.forEach((name, value) -> copy.put(name, isSecret(name) ? HIDDEN : redactedValue(value)));
    return copy;
  }

  private static Object redactedValue(Object value) {
    if (value instanceof Map<?, ?> map) return redacted(Json.asFields(map));
    if (!(value instanceof List<?> list)) return value;
    var copy = new ArrayList<Object>(list.size());
    for (var each : list) copy.add(redactedValue(each));
    return copy;
  }

  /** Whether a field with this name must not be logged. */
  public static boolean isSecret(String name) {
    var lower = name.toLowerCase(Locale.ROOT);
    return SECRET.contains(lower) || TELLING.stream().anyMatch(lower::contains);
  }
}
