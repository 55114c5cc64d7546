package io.tollgate.testing;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The next response of a scripted gateway.
 *
 * @param json the body; null if the connection breaks instead
 */
public record Reply(int status, String json, Map<String, String> headers) {
  /** A response with HTTP 200. */
  public static Reply of(String json) {
    return new Reply(200, json, Map.of());
  }

  /** A response that has only a result. */
  public static Reply result(String code, String status) {
    return of("{\"result\":{\"resultCode\":\"" + code + "\",\"resultStatus\":\"" + status
        + "\",\"resultMessage\":\"as scripted.\"}}");
  }

  /** No response: the connection is reset. */
  public static Reply reset() {
    return new Reply(0, null, Map.of());
  }

  public Reply withStatus(int status) {
    return new Reply(status, json, headers);
  }

  public Reply withHeader(String name, String value) {
    var more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Reply(status, json, more);
  }
}
