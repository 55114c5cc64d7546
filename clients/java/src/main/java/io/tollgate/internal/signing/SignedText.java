package io.tollgate.internal.signing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The parts of a message that its signature covers. A response is signed with the path of its request. */
public final class SignedText {
  private SignedText() {}

  /**
   * {@code POST /path\nclient.time.body}, over the raw bytes of the body, never over JSON that was written
   * again.
   *
   * @param path with its query, exactly as sent
   * @param time the text of the header, not the parsed time
   */
  public static byte[] of(String method, String path, String clientId, String time, byte[] body) {
    var head = (method + " " + path + "\n" + clientId + "." + time + ".").getBytes(StandardCharsets.UTF_8);
    var text = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, text, head.length, body.length);
    return text;
  }
}
