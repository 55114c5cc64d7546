package io.tollgate;

import java.net.http.HttpClient;
import java.util.concurrent.CompletableFuture;

/** Sends a request once. */
@FunctionalInterface
public interface Transport {
  /**
   * Fails when there is no answer, or not all of it. Follows no redirect. Cancelling the future gives the request up.
   */
  CompletableFuture<TransportResponse> send(TransportRequest request);

  /** Sends with Java's own client: pass one that is configured with your proxy or your certificates. */
  static Transport of(HttpClient client) {
    return new HttpTransport(client);
  }
}
