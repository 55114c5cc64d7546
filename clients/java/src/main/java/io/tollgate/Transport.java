package io.tollgate;

import java.net.http.HttpClient;
import java.util.concurrent.CompletableFuture;

/** Sends a request once. */
@FunctionalInterface
public interface Transport {
  /**
   * Fails if there is no complete response. Does not follow redirects. Cancelling the future aborts the
   * request.
   */
  CompletableFuture<TransportResponse> send(TransportRequest request);

  /** Sends with Java's own HTTP client: pass one that is configured with your proxy or your certificates. */
  static Transport of(HttpClient client) {
    return new HttpTransport(client);
  }
}
