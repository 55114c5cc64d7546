package io.tollgate;

import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.Redaction;
import java.util.Map;

/**
 * What the gateway said when it said no.
 *
 * @param code such as {@code USER_BALANCE_NOT_ENOUGH}
 * @param status {@code F}, or {@code U} if you called too often
 * @param message the gateway's words
 * @param advice what to do about it
 * @param isSigned refusals from before the caller is known may come unsigned
 * @param fields the whole answer
 */
public record Refusal(
    String code, String status, String message, String advice, boolean isSigned, Map<String, Object> fields) {
  /** For people and logs: what is secret is hidden. */
  @Override
  public String toString() {
    return "Refusal" + Json.write(Redaction.redacted(fields));
  }
}
