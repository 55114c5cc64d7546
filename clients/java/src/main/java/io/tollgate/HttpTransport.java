package io.tollgate;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends with Java's own HTTP client. */
final class HttpTransport implements Transport {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);

  private final HttpClient client;

  HttpTransport(HttpClient client) {
    this.client = client;
  }

  /** HTTP/1.1: every gateway supports it, and it needs no protocol upgrade. */
  static HttpTransport standard() {
    return new HttpTransport(HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(CONNECT_TIMEOUT)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build());
  }

  @Override
  public CompletableFuture<TransportResponse> send(TransportRequest request) {
    var prepared = HttpRequest.newBuilder(request.url())
        .timeout(request.timeout())
        .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()));
    request.headers().forEach(prepared::header);
    var sent = client.sendAsync(prepared.build(), info -> new LimitedBody(request.answerBytesMax()));
    var answered = sent.thenApply(response -> new TransportResponse(
        response.statusCode(), response.headers()::allValues, response.body()));
    answered.whenComplete((response, problem) -> {
      if (answered.isCancelled()) sent.cancel(true);
    });
    return answered;
  }
}
