package io.tollgate.internal.call;

import io.tollgate.internal.json.Redaction;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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

  private static Optional<String> first(Map<String, Object> fields, Predicate<String> isWanted) {
    return fields.entrySet().stream()
        .filter(field -> isWanted.test(field.getKey()) && !Redaction.isSecret(field.getKey()))
        .filter(field -> field.getValue() instanceof String)
        .map(field -> (String) field.getValue())
        .findFirst();
  }
}
