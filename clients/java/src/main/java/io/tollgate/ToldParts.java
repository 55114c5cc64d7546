package io.tollgate;

import io.tollgate.exception.MalformedResponseException;
import io.tollgate.internal.generated.Notifications;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.JsonException;
import io.tollgate.model.NotificationBody;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What notifications and events have in common, read from the same JSON. */
record ToldParts(String kind, NotificationBody body, String subject, long sequence) implements Told {
  static ToldParts read(byte[] bytes) {
    try {
      var fields = Json.readObject(bytes);
      var kind = Notifications.kindOf(fields);
      var named = kind.subjectIn(fields);
      var subject = kind.name() + " " + (named != null ? named : digestOf(bytes));
      long sequence = fields.get("sequence") instanceof Long number ? number : 0;
      return new ToldParts(kind.name(), kind.read(fields), subject, sequence);
    } catch (JsonException problem) {
      var message = "The notification is signed, but it is not as the interface says: " + problem.getMessage();
      throw new MalformedResponseException(message, CallFacts.NONE, problem);
    }
  }

  /** What names no record is a record of its own: then only the same words are the same news. */
  private static String digestOf(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256.", impossible);
    }
  }
}
