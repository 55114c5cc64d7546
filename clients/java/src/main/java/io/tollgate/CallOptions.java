package io.tollgate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How one call differs from the client's settings.
 *
 * @param timeout for each attempt; null for the client's
 * @param maxRetries null for the client's
 * @param headers to send as well
 * @param throwOnFailure false: a refusal is returned like any other answer instead of being thrown
 * @param deadline for all attempts and the pauses between them; null: the retries decide how long a call may take
 */
public record CallOptions(
    Duration timeout, Integer maxRetries, Map<String, String> headers, boolean throwOnFailure, Duration deadline) {
  /** As the client is set. */
  public static final CallOptions DEFAULT = new CallOptions(null, null, Map.of(), true, null);

  public CallOptions {
    headers = Map.copyOf(headers);
  }

  public CallOptions withTimeout(Duration timeout) {
    return new CallOptions(timeout, maxRetries, headers, throwOnFailure, deadline);
  }

  public CallOptions withMaxRetries(int maxRetries) {
    return new CallOptions(timeout, maxRetries, headers, throwOnFailure, deadline);
  }

  public CallOptions withHeader(String name, String value) {
    var more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new CallOptions(timeout, maxRetries, more, throwOnFailure, deadline);
  }

  public CallOptions withThrowOnFailure(boolean throwOnFailure) {
    return new CallOptions(timeout, maxRetries, headers, throwOnFailure, deadline);
  }

  public CallOptions withDeadline(Duration deadline) {
    return new CallOptions(timeout, maxRetries, headers, throwOnFailure, deadline);
  }
}
