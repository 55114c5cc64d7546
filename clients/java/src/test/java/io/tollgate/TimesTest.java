package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tollgate.exception.ConfigurationException;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TimesTest {
  @Test
  void parsesAndFormatsTimesAsTheApiRequires() {
    var time = Times.parse("2026-11-15T09:30:07+02:00");
    assertEquals(Instant.parse("2026-11-15T07:30:07Z"), time);
    assertEquals("2026-11-15T07:30:07+00:00", Times.format(time));
    assertThrows(ConfigurationException.class, () -> Times.parse("soon"));
  }
}
