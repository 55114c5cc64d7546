package io.tollgate.internal.json;

import java.util.Map;

/** Reads and writes one type. All codecs are generated, without reflection at run time. */
public interface Codec<T> {
  T read(Fields fields);

  Map<String, Object> write(T value);

  default T readJson(String json) {
    try {
      return read(new Fields(Json.readObject(json)));
    } catch (JsonException problem) {
      throw new IllegalArgumentException(problem.getMessage(), problem);
    }
  }

  default String writeJson(T value) {
    return Json.write(write(value));
  }

  /** Returns text for people and logs, in which secret fields are masked. */
  default String describe(T value) {
    return value.getClass().getSimpleName() + Json.write(Redaction.redacted(write(value)));
  }
}
