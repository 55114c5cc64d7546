package io.tollgate.internal.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The subset of JSON that the API needs. Values are maps, lists, strings, booleans, and longs or decimals.
 * Null and absent are equivalent on the wire, so nulls are dropped on reading.
 */
public final class Json {
  private Json() {}

  /** Parses a JSON object; rejects anything else. */
  public static Map<String, Object> readObject(String text) {
    if (new JsonReader(text).readAll() instanceof Map<?, ?> map) return asFields(map);
    throw new JsonException("The JSON is not an object.");
  }

  /** Parses a JSON object in UTF-8. */
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

  /** The keys of parsed objects are always strings. */
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
