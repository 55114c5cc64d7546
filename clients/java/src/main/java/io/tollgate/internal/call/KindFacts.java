package io.tollgate.internal.call;

import io.tollgate.internal.json.Codec;
import io.tollgate.internal.json.Fields;
import io.tollgate.model.NotificationBody;
import io.tollgate.model.UnknownNotification;
import java.util.Map;
import java.util.Set;

/**
 * What the library has to know of a kind of notification.
 *
 * @param notifyTypes the values of {@code notifyType} that mark it; none if it carries no such field
 * @param subjectField the field that names the record that it tells of, or null
 */
public record KindFacts(
    String name,
    Set<String> notifyTypes,
    Set<String> requiredFields,
    String subjectField,
    Codec<? extends NotificationBody> codec) {

  /** Of what a newer gateway tells. */
  public static final KindFacts UNKNOWN = new KindFacts("unknown", Set.of(), Set.of(), null, null);

  public boolean fits(Map<String, Object> fields) {
    if (fields.get("notifyType") instanceof String type) return notifyTypes.contains(type);
    return notifyTypes.isEmpty() && fields.keySet().containsAll(requiredFields);
  }

  public NotificationBody read(Map<String, Object> fields) {
    return codec == null ? new UnknownNotification(fields) : codec.read(new Fields(fields));
  }

  /** The id of the record that it tells of, or null. */
  public String subjectIn(Map<String, Object> fields) {
    return subjectField != null && fields.get(subjectField) instanceof String id ? id : null;
  }
}
