package io.tollgate.internal.signing;

import java.util.Base64;

/** Base64 that writes exactly these bytes. */
final class Base64Text {
  private Base64Text() {}

  /** The bytes, or null: no stray characters, and no bits at the end that mean nothing. */
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
