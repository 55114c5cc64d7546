package io.tollgate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options of a single call. The defaults are the client's settings.
 *
 * @param timeout for each attempt; null for the client's timeout
 * @param maxRetries the maximum number of retries; null for the client's number
 * @param headers additional headers
 * @param throwOnFailure if false, a rejection is returned like any other response instead of thrown
 * @param deadline the time limit for all attempts and the pauses between them; if it is null, the number of
 *     retries limits the duration
 */
public record CallOptions(
    Duration timeout, Integer maxRetries, Map<String, String> headers, boolean throwOnFailure, Duration deadline) {
  /** The client's settings. */
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
