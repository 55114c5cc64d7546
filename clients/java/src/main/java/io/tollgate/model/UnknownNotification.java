package io.tollgate.model;

import io.tollgate.internal.json.Immutable;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.Redaction;
import java.util.Map;

/**
 * A notification that this version of the library has no type for.
 *
 * @param fields all that it says
 */
public record UnknownNotification(Map<String, Object> fields) implements NotificationBody {
  public UnknownNotification {
    fields = Immutable.fields(fields);
  }

  /** For people and logs: what is secret is hidden. */
  @Override
  public String toString() {
    return "UnknownNotification" + Json.write(Redaction.redacted(fields));
  }
}
