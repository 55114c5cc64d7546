package io.tollgate.internal.call;

import io.tollgate.internal.json.Redaction;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The id by which the merchant knows a request. */
final class RequestId {
  private RequestId() {}

  /** What makes the request the same one, or the first id that it names; null if there is none. Never a token. */
  static String in(Map<String, Object> fields, String idempotencyField) {
    return first(fields, name -> name.equals(idempotencyField))
        .or(() -> first(fields, name -> name.endsWith("RequestId")))
        .or(() -> first(fields, name -> name.endsWith("Id")))
        .orElse(null);
  }

  /** What is asked about. An answer that names one of these has to name the same. */
  static Map<String, String> idsIn(Map<String, Object> fields) {
    return fields.entrySet().stream()
        .filter(field -> field.getKey().endsWith("Id") && field.getValue() instanceof String)
        .collect(Collectors.toMap(Map.Entry::getKey, field -> (String) field.getValue()));
  }

  private static Optional<String> first(Map<String, Object> fields, Predicate<String> isWanted) {
    return fields.entrySet().stream()
        .filter(field -> isWanted.test(field.getKey()) && !Redaction.isSecret(field.getKey()))
        .filter(field -> field.getValue() instanceof String)
        .map(field -> (String) field.getValue())
        .findFirst();
  }
}
