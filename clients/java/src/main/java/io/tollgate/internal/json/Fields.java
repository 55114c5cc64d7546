package io.tollgate.internal.json;

import io.tollgate.CallFacts;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The fields of an object that is being read. After the known fields are taken, the unknown ones remain. */
public final class Fields {
  private final Map<String, Object> values;
  private final CallFacts call;
  private final Set<String> taken = new HashSet<>();

  public Fields(Map<String, Object> values) {
    this(values, null);
  }

  /** @param call the call whose response this is */
  public Fields(Map<String, Object> values, CallFacts call) {
    this.values = values;
    this.call = call;
  }

  public CallFacts call() {
    return call;
  }

  public String text(String name) {
    return take(name, String.class, "text");
  }

  public Boolean flag(String name) {
    return take(name, Boolean.class, "true or false");
  }

  public Long integer(String name) {
    return take(name, Long.class, "a whole number");
  }

  public BigDecimal number(String name) {
    var value = take(name, Number.class, "a number");
    return value == null ? null : new BigDecimal(value.toString());
  }

  public Object anything(String name) {
    return take(name, Object.class, "anything");
  }

  public <T> T object(String name, Codec<T> codec) {
    var value = take(name, Map.class, "an object");
    return value == null ? null : codec.read(new Fields(Json.asFields(value)));
  }

  public <T> List<T> objects(String name, Codec<T> codec) {
    return list(name, each -> codec.read(new Fields(Json.asFields(cast(name, each, Map.class, "a list of objects")))));
  }

  public List<String> texts(String name) {
    return texts(name, text -> text);
  }

  public <T> List<T> texts(String name, Function<String, T> read) {
    return list(name, each -> read.apply(cast(name, each, String.class, "a list of texts")));
  }

  public <T> List<T> list(String name, Function<Object, T> read) {
    var values = take(name, List.class, "a list");
    if (values == null) return null;
    var list = new ArrayList<T>(values.size());
    for (var each : values) list.add(read.apply(each));
    return list;
  }

  public <T> Map<String, T> map(String name, Function<Object, T> read) {
    var values = take(name, Map.class, "an object");
    if (values == null) return null;
    var map = new LinkedHashMap<String, T>();
    Json.asFields(values).forEach((key, value) -> map.put(key, read.apply(value)));
    return map;
  }

  public static String asText(Object value) {
    return cast("an entry", value, String.class, "text");
  }

  public static Long asInteger(Object value) {
    return cast("an entry", value, Long.class, "a whole number");
  }

  public static Boolean asFlag(Object value) {
    return cast("an entry", value, Boolean.class, "true or false");
  }

  public static Object asIs(Object value) {
    return value;
  }

  /** The fields that were not read: fields that only a newer gateway has. */
  public Map<String, Object> rest() {
    if (taken.size() == values.size()) return Map.of();
    var rest = new LinkedHashMap<String, Object>();
    values.forEach((name, value) -> {
      if (!taken.contains(name)) rest.put(name, value);
    });
    return Collections.unmodifiableMap(rest);
  }

  private <T> T take(String name, Class<T> type, String expected) {
    var value = values.get(name);
    if (value == null) return null;
    taken.add(name);
    return cast(name, value, type, expected);
  }

  private static <T> T cast(String name, Object value, Class<T> type, String expected) {
    if (type.isInstance(value)) return type.cast(value);
    throw new JsonException("`" + name + "` must be " + expected + ".");
  }
}
