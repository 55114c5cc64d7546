package io.tollgate.testing;

import io.tollgate.internal.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An isolated test merchant for a test run on a shared gateway.
 *
 * @param running the fields of {@code tollgate dev --json}
 * @param folder the folder with its keys
 */
record TestUniverse(Map<String, Object> running, Path folder) {
  /**
   * Creates an isolated test merchant, so that test runs that share a gateway do not affect each other.
   * Returns an empty value if no gateway listens at its address.
   *
   * @param shared {@code baseUrl}, {@code controlSecret} and optionally {@code walletUrl}: the URL of the
   *     sandbox provider from this machine, if it differs from the gateway's
   */
  static Optional<TestUniverse> open(Map<String, Object> shared) {
    var keys = TestKeys.generate();
    try {
      var body = BodyPublishers.ofString(Json.write(Map.of("publicKey", keys.publicKey())));
      var answer = ask(shared, "POST", "", body);
      if (answer.statusCode() == 201)
        return Optional.of(keep(shared, Json.readObject(answer.body()), keys));
      throw new IllegalStateException(
          "The Tollgate at " + shared.get("baseUrl") + " created no isolated test merchant: " + answer.body());
    } catch (ConnectException nobody) {
      return Optional.empty();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static TestUniverse keep(Map<String, Object> shared, Map<String, Object> opened, TestKeys keys)
      throws IOException {
    var folder = Files.createTempDirectory("tollgate-universe-");
    var own = Files.writeString(folder.resolve("merchant-private.pem"), pem(keys.privateKey()));
    var theirs = Files.writeString(folder.resolve("gateway-public.pem"), (String) opened.get("gatewayPublicKey"));
    var running = new HashMap<>(opened);
    running.putAll(shared);
    running.putAll(Map.of(
        "clientId", opened.get("clientId"),
        "keyVersion", opened.get("keyVersion"),
        "merchantPrivateKeyFile", own.toString(),
        "gatewayPublicKeyFile", theirs.toString()));
    return new TestUniverse(running, folder);
  }

  private static String pem(String base64) {
    return "-----BEGIN PRIVATE KEY-----\n" + base64.replaceAll("(.{1,64})", "$1\n") + "-----END PRIVATE KEY-----\n";
  }

  /** Deletes the test merchant and its keys. */
  void close() {
    try {
      Files.deleteIfExists(Path.of((String) running.get("merchantPrivateKeyFile")));
      Files.deleteIfExists(Path.of((String) running.get("gatewayPublicKeyFile")));
      Files.deleteIfExists(folder);
      ask(running, "DELETE", "/" + running.get("clientId"), BodyPublishers.noBody());
    } catch (IOException passedOver) {
      // The test merchant is gone with its gateway, or expires by itself.
    }
  }

  private static HttpResponse<String> ask(
      Map<String, Object> shared, String method, String path, HttpRequest.BodyPublisher body) throws IOException {
    var baseUrl = ((String) shared.get("baseUrl")).replaceFirst("/$", "");
    var request = HttpRequest.newBuilder(URI.create(baseUrl + "/sandbox/universes" + path))
        .header("authorization", "Bearer " + shared.get("controlSecret"))
        .header("content-type", "application/json")
        .method(method, body)
        .build();
    try {
      return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while the isolated test merchant was created.", interrupted);
    }
  }
}
