package io.tollgate.life;

import static io.tollgate.life.Steps.check;

import io.tollgate.Incoming;
import io.tollgate.Notification;
import io.tollgate.Tollgate;
import io.tollgate.TollgateBuilder;
import io.tollgate.internal.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The surroundings of the library: the buyer's wallet, the merchant's mailbox, and the fault proxy. */
final class Surroundings {
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  TollgateBuilder client(String baseUrl) {
    try {
      return Tollgate.builder()
          .clientId(System.getenv("CLIENT_ID"))
          .environment("sandbox")
          .keyVersion(Integer.parseInt(System.getenv("KEY_VERSION")))
          .privateKey(Files.readString(Path.of(System.getenv("PRIVATE_KEY_FILE"))))
          .gatewayPublicKey(Files.readString(Path.of(System.getenv("GATEWAY_PUBLIC_KEY_FILE"))))
          .baseUrl(baseUrl);
    } catch (IOException problem) {
      throw new IllegalStateException(problem);
    }
  }

  String mailbox() {
    return System.getenv("MAILBOX_URL");
  }

  /** Calls the sandbox provider's control API, which acts as the buyer. */
  Map<String, Object> control(String path, Map<String, Object> body) throws Exception {
    return send(ofControl(path).POST(HttpRequest.BodyPublishers.ofString(Json.write(body))));
  }

  Map<String, Object> ordersOf(String paymentId) throws Exception {
    return send(ofControl("orders?paymentId=" + paymentId).GET());
  }

  /** Makes the fault proxy break the next response in this way. */
  void spoil(String kind) throws Exception {
    var url = URI.create(System.getenv("PROXY_URL") + "/fault");
    send(HttpRequest.newBuilder(url).POST(HttpRequest.BodyPublishers.ofString(Json.write(Map.of("kind", kind)))));
  }

  /** Waits for the webhook of this kind about a record, and verifies it. */
  Notification hear(Tollgate client, String about, String kind) throws Exception {
    var url = URI.create(mailbox() + "/mail?about=" + about);
    for (int tries = 0; tries < 100; tries += 1) {
      var text = http.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString()).body();
      for (var mail : (List<?>) Json.readObject("{\"mails\":" + text + "}").get("mails")) {
        var notification = client.webhooks().construct(incoming((Map<?, ?>) mail));
        if (notification.kind().equals(kind)) return notification;
      }
      Thread.sleep(200);
    }
    throw new AssertionError("Nobody told " + kind + " of " + about + ".");
  }

  private static Incoming incoming(Map<?, ?> mail) {
    var headers = (List<?>) mail.get("headers");
    return new Incoming(
        (String) mail.get("method"),
        (String) mail.get("path"),
        name -> headers.stream()
            .map(pair -> (List<?>) pair)
            .filter(pair -> name.equalsIgnoreCase((String) pair.get(0)))
            .map(pair -> (String) pair.get(1))
            .toList(),
        Base64.getDecoder().decode((String) mail.get("bodyBase64")));
  }

  private HttpRequest.Builder ofControl(String path) {
    return HttpRequest.newBuilder(URI.create(System.getenv("WALLET_URL") + "/control/" + path))
        .header("authorization", "Bearer " + System.getenv("CONTROL_SECRET"));
  }

  private Map<String, Object> send(HttpRequest.Builder request) throws Exception {
    var response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    check(response.statusCode() == 200, response.body());
    return response.body().isEmpty() ? Map.of() : Json.readObject(response.body());
  }
}
