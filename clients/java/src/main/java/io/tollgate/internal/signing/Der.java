package io.tollgate.internal.signing;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The subset of DER that keys use. */
final class Der {
  static final int INTEGER = 0x02;
  static final int BIT_STRING = 0x03;
  static final int OCTET_STRING = 0x04;
  static final int NULL = 0x05;
  static final int OBJECT_IDENTIFIER = 0x06;
  static final int SEQUENCE = 0x30;

  record Element(int tag, byte[] content) {}

  private Der() {}

  /** Parses a series of DER elements; null if the bytes are anything else. */
  static List<Element> readElements(byte[] bytes) {
    var elements = new ArrayList<Element>();
    int at = 0;
    while (at < bytes.length) {
      int count = lengthBytes(bytes, at + 1);
      if (count == 0) return null;
      int contentAt = at + 1 + count;
      int length = readLength(bytes, at + 1, count);
      if (length > bytes.length - contentAt) return null;
      elements.add(new Element(bytes[at] & 0xff, Arrays.copyOfRange(bytes, contentAt, contentAt + length)));
      at = contentAt + length;
    }
    return elements;
  }

  /** The elements inside the single DER sequence that these bytes encode, or null. */
  static List<Element> readSequence(byte[] bytes) {
    var outer = readElements(bytes);
    if (outer == null || outer.size() != 1 || outer.get(0).tag() != SEQUENCE) return null;
    return readElements(outer.get(0).content());
  }

  static byte[] write(int tag, byte[]... contents) {
    var content = new ByteArrayOutputStream();
    for (var each : contents) content.writeBytes(each);
    var element = new ByteArrayOutputStream();
    element.write(tag);
    writeLength(element, content.size());
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }

  /** The number of bytes of the length field; 0 if it is not valid in a key. */
  private static int lengthBytes(byte[] bytes, int at) {
    if (at >= bytes.length) return 0;
    int first = bytes[at] & 0xff;
    if (first < 0x80) return 1;
    int count = first & 0x7f;
    return count == 0 || count > 3 || at + count >= bytes.length ? 0 : 1 + count;
  }

  private static int readLength(byte[] bytes, int at, int count) {
    if (count == 1) return bytes[at];
    int length = 0;
    for (int index = at + 1; index < at + count; index += 1) length = length << 8 | bytes[index] & 0xff;
    return length;
  }

  private static void writeLength(ByteArrayOutputStream out, int length) {
    if (length < 0x80) {
      out.write(length);
      return;
    }
    int count = (32 - Integer.numberOfLeadingZeros(length) + 7) / 8;
    out.write(0x80 | count);
    for (int shift = (count - 1) * 8; shift >= 0; shift -= 8) out.write(length >> shift);
  }
}
