package io.tollgate.model;

import io.tollgate.internal.json.Immutable;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.Redaction;
import java.util.Map;

/**
 * A webhook that this version of the library has no type for.
 *
 * @param fields all fields of the body
 */
public record UnknownNotification(Map<String, Object> fields) implements NotificationBody {
  public UnknownNotification {
    fields = Immutable.fields(fields);
  }

  /** Returns text for people and logs, in which secret fields are masked. */
  @Override
  public String toString() {
    return "UnknownNotification" + Json.write(Redaction.redacted(fields));
  }
}
