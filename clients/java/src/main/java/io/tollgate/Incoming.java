package io.tollgate;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A request to your webhook endpoint.
 *
 * @param path the path of the request with its query
 * @param body the raw bytes: never JSON that was parsed and written again
 */
public record Incoming(String method, String path, HeaderValues headers, byte[] body) {
  /** Creates the request from headers in a map, as most servers have them. */
  public static Incoming post(String path, Map<String, List<String>> headers, byte[] body) {
    return new Incoming("POST", path, HeaderValues.in(headers), body);
  }

  /**
   * Creates the request from a function that finds headers, such as {@code headers::getOrEmpty} of Spring.
   */
  public static Incoming post(String path, HeaderValues headers, byte[] body) {
    return new Incoming("POST", path, headers, body);
  }

  public static Incoming post(String path, HeaderValues headers, String body) {
    return post(path, headers, body.getBytes(StandardCharsets.UTF_8));
  }
}
