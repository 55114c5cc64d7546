package io.tollgate.internal.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * As much of JSON as an interface needs. Values are maps, lists, strings, booleans, and longs or decimals. Null and
 * absent are one thing on the wire, so nulls are left out where they are read.
 */
public final class Json {
  private Json() {}

  /** The object that the text is; anything else is refused. */
  public static Map<String, Object> readObject(String text) {
    if (new JsonReader(text).readAll() instanceof Map<?, ?> map) return asFields(map);
    throw new JsonException("The JSON is no object.");
  }

  /** The object that these bytes are in UTF-8. */
  public static Map<String, Object> readObject(byte[] bytes) {
    return readObject(textOf(bytes));
  }

  public static String write(Object value) {
    var writer = new JsonWriter();
    writer.write(value);
    return writer.toString();
  }

  public static byte[] writeBytes(Object value) {
    return write(value).getBytes(StandardCharsets.UTF_8);
  }

  /** The keys of what we have read are always text. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> asFields(Map<?, ?> map) {
    return (Map<String, Object>) map;
  }

  private static String textOf(byte[] bytes) {
    var decoder = StandardCharsets.UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT);
    try {
      return decoder.decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException problem) {
      throw new JsonException("The bytes are not UTF-8.");
    }
  }
}
