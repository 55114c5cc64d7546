package io.tollgate.internal.call;

import io.tollgate.internal.json.Codec;
import io.tollgate.internal.json.Fields;
import io.tollgate.model.NotificationBody;
import io.tollgate.model.UnknownNotification;
import java.util.Map;
import java.util.Set;

/**
 * The facts that the library needs about a kind of webhook.
 *
 * @param notifyTypes the values of {@code notifyType} that identify this kind; empty if the body has no such
 *     field
 * @param subjectField the field with the id of the record that changed, or null
 */
public record KindFacts(
    String name,
    Set<String> notifyTypes,
    Set<String> requiredFields,
    String subjectField,
    Codec<? extends NotificationBody> codec) {

  /** The facts about a webhook that only a newer gateway has. */
  public static final KindFacts UNKNOWN = new KindFacts("unknown", Set.of(), Set.of(), null, null);

  public boolean fits(Map<String, Object> fields) {
    if (fields.get("notifyType") instanceof String type) return notifyTypes.contains(type);
    return notifyTypes.isEmpty() && fields.keySet().containsAll(requiredFields);
  }

  public NotificationBody read(Map<String, Object> fields) {
    return codec == null ? new UnknownNotification(fields) : codec.read(new Fields(fields));
  }

  /** The id of the record that changed, or null. */
  public String subjectIn(Map<String, Object> fields) {
    return subjectField != null && fields.get(subjectField) instanceof String id ? id : null;
  }
}
