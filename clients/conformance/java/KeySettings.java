package io.tollgate.conformance;

import static io.tollgate.conformance.Report.difference;
import static io.tollgate.conformance.Vectors.text;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.InvalidKeyException;
import io.tollgate.internal.EnvironmentKey;
import io.tollgate.internal.signing.GatewayKey;
import io.tollgate.internal.signing.Signer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Settings of a key in the environment, and the expected result. */
final class KeySettings {
  private static final Map<String, Object> FILE = Vectors.read("keyload");

  private KeySettings() {}

  static String run(Map<String, Object> each) throws IOException {
    var folder = Files.createTempDirectory("tollgate-key-");
    var file = folder.resolve("key.pem");
    if ("folder".equals(each.get("place"))) Files.createDirectory(file);
    if (each.get("file") instanceof String content) Files.writeString(file, content);
    try {
      return verdictOn(each, file);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  private static String verdictOn(Map<String, Object> each, Path file) {
    var half = text(each, "half");
    var name = half.equals("private") ? "TOLLGATE_PRIVATE_KEY" : "TOLLGATE_GATEWAY_PUBLIC_KEY";
    var variables = new HashMap<String, String>();
    if (each.get("variable") instanceof String value) variables.put(name, value);
    if (each.containsKey("file") || each.containsKey("place")) variables.put(name + "_FILE", file.toString());
    try {
      var isRight = EnvironmentKey.read(name, key -> isRight(half, key), variables::get);
      return difference(isRight == null ? "ABSENT" : isRight ? "OK" : "another key", each.get("expect"));
    } catch (ConfigurationException problem) {
      var reason = problem instanceof InvalidKeyException invalid ? invalid.reason().name() : "CONFIGURATION";
      var sentence = text(each, "message").replace("{file}", file.toString())
          .replace("{folder}", System.getProperty("user.dir"));
      return difference(List.of(reason, problem.getMessage()), List.of(text(each, "expect"), sentence));
    }
  }

  /** Whether the key creates or verifies the signature that the file expects. */
  static boolean isRight(String half, String key) {
    var signed = text(FILE, "text").getBytes(StandardCharsets.UTF_8);
    var signature = Base64.getDecoder().decode(text(FILE, "signature"));
    return half.equals("private")
        ? Arrays.equals(Signer.of(key).sign(signed), signature)
        : GatewayKey.of(key).verifies(signed, signature);
  }
}
