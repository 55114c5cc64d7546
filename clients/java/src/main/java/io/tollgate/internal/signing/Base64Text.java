package io.tollgate.internal.signing;

import java.util.Base64;

/** Strict base64. */
final class Base64Text {
  private Base64Text() {}

  /** Decodes strict base64; null if the text has other characters or nonzero unused bits. */
  static byte[] decode(String text) {
    try {
      var bytes = Base64.getDecoder().decode(text);
      return unpadded(encode(bytes)).equals(unpadded(text)) ? bytes : null;
    } catch (IllegalArgumentException problem) {
      return null;
    }
  }

  static String encode(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  static String unpadded(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == '=') end -= 1;
    return text.substring(0, end);
  }
}
