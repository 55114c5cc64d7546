package io.tollgate.internal.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** Writes values without blanks. Fields that are null are omitted. */
final class JsonWriter {
  private static final List<Class<? extends Number>> EXACT =
      List.of(Long.class, Integer.class, BigDecimal.class, BigInteger.class);

  private final StringBuilder text = new StringBuilder(512);

  void write(Object value) {
    if (value instanceof Map<?, ?> map) writeObject(map);
    else if (value instanceof Iterable<?> values) writeList(values);
    else if (value instanceof Boolean) text.append(value);
    else if (value instanceof Number number) writeNumber(number);
    else writeString(String.valueOf(value));
  }

  private void writeObject(Map<?, ?> map) {
    text.append('{');
    boolean isFirst = true;
    for (var field : map.entrySet()) {
      if (field.getValue() == null) continue;
      if (!isFirst) text.append(',');
      isFirst = false;
      writeString(String.valueOf(field.getKey()));
      text.append(':');
      write(field.getValue());
    }
    text.append('}');
  }

  private void writeList(Iterable<?> values) {
    text.append('[');
    boolean isFirst = true;
    for (var value : values) {
      if (value == null) continue;
      if (!isFirst) text.append(',');
      isFirst = false;
      write(value);
    }
    text.append(']');
  }

  private void writeNumber(Number number) {
    if (EXACT.stream().noneMatch(type -> type.isInstance(number))) {
      throw new JsonException("Numbers are whole or BigDecimal, and never " + number.getClass().getSimpleName() + ".");
    }
    text.append(number);
  }

  private void writeString(String value) {
    text.append('"');
    for (int index = 0; index < value.length(); index += 1) writeCharacter(value, index);
    text.append('"');
  }

  private void writeCharacter(String value, int index) {
    char character = value.charAt(index);
    switch (character) {
      case '"' -> text.append("\\\"");
      case '\\' -> text.append("\\\\");
      case '\n' -> text.append("\\n");
      case '\r' -> text.append("\\r");
      case '\t' -> text.append("\\t");
      default -> {
        if (character < ' ' || isLoneSurrogate(value, index)) text.append(String.format("\\u%04x", (int) character));
        else text.append(character);
      }
    }
  }

  /** UTF-8 cannot encode a lone surrogate, so it is written as an escape. */
  private static boolean isLoneSurrogate(String value, int index) {
    char character = value.charAt(index);
    if (Character.isHighSurrogate(character)) {
      return index + 1 >= value.length() || !Character.isLowSurrogate(value.charAt(index + 1));
    }
    return Character.isLowSurrogate(character) && (index == 0 || !Character.isHighSurrogate(value.charAt(index - 1)));
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
