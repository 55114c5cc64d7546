package io.tollgate.internal.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest(name = "{0} comes back as it is")
  @ValueSource(strings = {
    "{}", "{\"a\":[]}", "{\"a\":1,\"b\":-7,\"c\":true,\"d\":false}", "{\"a\":\"é支💶\"}",
    "{\"a\":\"\\\"\\\\\\n\\r\\t\\u0001\"}",
    "{\"a\":[[1,[2]],{\"b\":{}}]}", "{\"a\":1.50}", "{\"a\":12345678901234567890}",
    "{\"a\":\"\\ud83d\"}", "{\"a\":\"\\udca9x\"}",
  })
  void readsAndWrites(String json) {
    assertEquals(json, Json.write(Json.readObject(json)));
  }

  @ParameterizedTest(name = "{0} is refused")
  @ValueSource(strings = {
    "", "[]", "1", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
    "{a:1}", "{'a':1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}",
    "{\"a\":tru}", "{\"a\":NaN}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\n\"}",
    "{\"a\":\"x}", "{}{}", "{\"a\":[1,]}", "\uFEFF{}",
    "{\"a\":1e999999999999}",
  })
  void refuses(String json) {
    assertThrows(JsonException.class, () -> Json.readObject(json));
  }

  @Test
  void rejectsJsonThatIsNestedTooDeeply() {
    assertThrows(JsonException.class, () -> Json.readObject("{\"a\":" + "[".repeat(100_000)));
  }

  @Test
  void refusesBytesThatAreNotUtf8() {
    assertThrows(JsonException.class, () -> Json.readObject(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}));
  }

  @Test
  void treatsNullAsAbsent() {
    assertEquals(Map.of("b", List.of(1L)), Json.readObject("{\"a\":null,\"b\":[null,1]}"));
    assertEquals(Map.of(), Json.readObject("{\"a\":1,\"a\":null}"));
    var fields = new LinkedHashMap<String, Object>();
    fields.put("a", null);
    fields.put("b", Arrays.asList(null, 1));
    assertEquals("{\"b\":[1]}", Json.write(fields));
  }

  @Test
  void keepsDecimalsToTheLastDigit() {
    assertEquals(new BigDecimal("0.10"), Json.readObject("{\"a\":0.10}").get("a"));
    assertThrows(JsonException.class, () -> Json.write(Map.of("a", 0.1)));
  }

  @Test
  void writesUtf8() {
    assertEquals("{\"a\":\"é\"}", new String(Json.writeBytes(Map.of("a", "é")), StandardCharsets.UTF_8));
  }
}
