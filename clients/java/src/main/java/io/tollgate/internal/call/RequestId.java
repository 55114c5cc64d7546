package io.tollgate.internal.call;

import io.tollgate.internal.json.Redaction;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The merchant's id of a request. */
final class RequestId {
  private RequestId() {}

  /** The idempotency key, or else the first id in the request; null if there is none. It is never a token. */
  static String in(Map<String, Object> fields, String idempotencyField) {
    return first(fields, name -> name.equals(idempotencyField))
        .or(() -> first(fields, name -> name.endsWith("RequestId")))
        .or(() -> first(fields, name -> name.endsWith("Id")))
        .orElse(null);
  }

  /** The ids in the request. A response with one of these fields must have the same value. */
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
