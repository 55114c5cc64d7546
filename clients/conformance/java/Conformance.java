package io.tollgate.conformance;

import static io.tollgate.conformance.Report.difference;
import static io.tollgate.conformance.Vectors.fields;
import static io.tollgate.conformance.Vectors.key;
import static io.tollgate.conformance.Vectors.number;
import static io.tollgate.conformance.Vectors.text;

import io.tollgate.Money;
import io.tollgate.exception.InvalidKeyException;
import io.tollgate.internal.json.Codec;
import io.tollgate.internal.json.Fields;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.signing.GatewayKey;
import io.tollgate.internal.signing.GatewayKeys;
import io.tollgate.internal.signing.SignatureHeader;
import io.tollgate.internal.signing.SignedText;
import io.tollgate.internal.signing.Signer;
import io.tollgate.internal.signing.UntrustedException;
import io.tollgate.internal.signing.Verifier;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs all cases with the Java library. The working directory is {@code clients}. */
public final class Conformance {
  private Conformance() {}

  public static void main(String[] parameters) {
    Report.on("sign", Conformance::sign);
    Report.on("verify", each -> difference(verdictOn(each), each.get("expect")));
    Report.on("keyload", Conformance::loadKey);
    Report.on("keyload", "settings", KeySettings::run);
    Report.on("money", Conformance::count);
    Report.on("models", Conformance::readAndWrite);
    Report.on("outcomes", Conformance::ask);
    var http = new HttpCases(System.getenv("CONFORMANCE_URL"));
    Report.on("http", http::run);
    Report.on("by-code", new ByCodeCases(http)::run);
    System.exit(Report.hasFailed() ? 1 : 0);
  }

  private static String sign(Map<String, Object> each) throws Exception {
    var signed = SignedText.of(
        text(each, "method"), text(each, "path"), text(each, "clientId"), text(each, "time"),
        bytes(each, "bodyBase64"));
    var digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(signed));
    if (!digest.equals(each.get("contentSha256"))) return "the signed text differs";
    var signature = Signer.of(key(each.get("key"), "privatePkcs8")).sign(signed);
    if (!Base64.getEncoder().encodeToString(signature).equals(each.get("signature"))) return "the signature differs";
    return difference(SignatureHeader.write(number(each, "keyVersion"), signature), each.get("header"));
  }

  private static String verdictOn(Map<String, Object> each) {
    var keys = new HashMap<Integer, GatewayKey>();
    fields(each.get("publicKeys"))
        .forEach((version, name) -> keys.put(Integer.valueOf(version), GatewayKey.of(key(name, "publicSpki"))));
    boolean isWebhook = each.get("kind").equals("webhook");
    var message = new Verifier.Received(
        isWebhook ? Verifier.Kind.WEBHOOK : Verifier.Kind.RESPONSE, text(each, "method"), text(each, "path"),
        text(each, "expectedClientId"), name -> headerValues(each, name), bytes(each, "bodyBase64"));
    try {
      var verified = Verifier.verify(message, GatewayKeys.byVersion(keys));
      if (isWebhook) {
        Verifier.checkTime(verified.time(), Instant.parse(text(each, "now")), number(each, "toleranceSeconds"));
      }
      return each.get("seen") instanceof List<?> seen && seen.contains(verified.replayKey()) ? "REPLAYED" : "OK";
    } catch (UntrustedException untrusted) {
      return untrusted.reason().name();
    }
  }

  private static List<String> headerValues(Map<String, Object> each, String name) {
    return ((List<?>) each.get("headers")).stream()
        .map(pair -> (List<?>) pair)
        .filter(pair -> name.equalsIgnoreCase((String) pair.get(0)))
        .map(pair -> (String) pair.get(1))
        .toList();
  }

  private static String loadKey(Map<String, Object> each) {
    try {
      boolean isRight = KeySettings.isRight(text(each, "half"), text(each, "text"));
      return difference(isRight ? "OK" : "another key", each.get("expect"));
    } catch (InvalidKeyException problem) {
      if (problem.getMessage().contains("MII")) return "the key is in the message";
      return difference(problem.reason().name(), each.get("expect"));
    }
  }

  private static String count(Map<String, Object> each) {
    try {
      var money = Money.from(Money.of(text(each, "currency"), text(each, "decimal")).toAmount());
      var found = List.of(money.toAmount().value(), money.toDecimal(), "OK");
      return difference(found, List.of(text(each, "value"), text(each, "written"), text(each, "expect")));
    } catch (IllegalArgumentException refused) {
      return difference("REFUSED", each.get("expect"));
    }
  }

  /** Finds types by their name, so that no type is forgotten. Uses reflection, which only tests do. */
  @SuppressWarnings("unchecked")
  private static String readAndWrite(Map<String, Object> each) throws ReflectiveOperationException {
    var codec = (Codec<Object>)
        Class.forName("io.tollgate.internal.codec." + each.get("type") + "Codec").getField("CODEC").get(null);
    var read = codec.read(new Fields(fields(each.get("json"))));
    return difference(Json.readObject(codec.writeJson(read)), each.get("expect"));
  }

  /** Reads all four outcome properties: exactly one must be true. */
  private static String ask(Map<String, Object> each) throws ReflectiveOperationException {
    var type = Class.forName("io.tollgate.model." + each.get("type"));
    var read = type.getMethod("fromJson", String.class).invoke(null, Json.write(each.get("json")));
    var found = new ArrayList<Object>();
    for (var word : List.of("Paid", "Authorized", "Pending", "Failed"))
      if ((boolean) type.getMethod("is" + word).invoke(read)) found.add(word.toUpperCase(Locale.ROOT));
    return difference(found, List.of(each.get("outcome")));
  }

  private static byte[] bytes(Map<String, Object> fields, String name) {
    return Base64.getDecoder().decode(text(fields, name));
  }
}
