package io.tollgate;

import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.Redaction;
import java.util.Map;

/**
 * The details of a rejection.
 *
 * @param code such as {@code USER_BALANCE_NOT_ENOUGH}
 * @param status {@code F}, or {@code U} if a rate limit was exceeded
 * @param message the gateway's message
 * @param advice the recommended action
 * @param isSigned false for a rejection without a signature, which the gateway may send before it
 *     authenticates the client
 * @param fields the complete response
 */
public record Refusal(
    String code, String status, String message, String advice, boolean isSigned, Map<String, Object> fields) {
  /** Returns text for people and logs, in which secret fields are masked. */
  @Override
  public String toString() {
    return "Refusal" + Json.write(Redaction.redacted(fields));
  }
}
