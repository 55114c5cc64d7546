package io.tollgate;

import io.tollgate.exception.MalformedResponseException;
import io.tollgate.internal.generated.Notifications;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.JsonException;
import io.tollgate.model.NotificationBody;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The common parts of webhooks and events, read from the same JSON. */
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
      var message = "The webhook is signed, but it is invalid: " + problem.getMessage();
      throw new MalformedResponseException(message, CallFacts.NONE, problem);
    }
  }

  /** The subject of a body without a record id: its digest, so that only identical bodies are duplicates. */
  private static String digestOf(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256.", impossible);
    }
  }
}
