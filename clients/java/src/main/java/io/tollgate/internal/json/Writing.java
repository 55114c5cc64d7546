package io.tollgate.internal.json;

import io.tollgate.OpenText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The fields of an object that is being written, in order. Null values are omitted. */
public final class Writing {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  public Writing put(String name, Object value) {
    if (value != null) fields.put(name, value);
    return this;
  }

  public Writing put(String name, OpenText value) {
    return put(name, value == null ? null : value.text());
  }

  public <T> Writing put(String name, T value, Codec<T> codec) {
    return put(name, value == null ? null : codec.write(value));
  }

  public <T> Writing putObjects(String name, List<T> values, Codec<T> codec) {
    return putList(name, values, codec::write);
  }

  public Writing putTexts(String name, List<? extends OpenText> values) {
    return putList(name, values, OpenText::text);
  }

  private <T> Writing putList(String name, List<T> values, Function<? super T, Object> write) {
    if (values == null) return this;
    var list = new ArrayList<Object>(values.size());
    for (var each : values) list.add(write.apply(each));
    return put(name, list);
  }

  /** Unknown fields come last, and never replace a known field. */
  public Map<String, Object> rest(Map<String, Object> unknownFields) {
    unknownFields.forEach(fields::putIfAbsent);
    return fields;
  }
}
