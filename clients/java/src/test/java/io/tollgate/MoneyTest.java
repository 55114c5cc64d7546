package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MoneyTest {
  @Test
  void countsInTheSmallestUnit() {
    assertEquals("EUR 9.99", Money.of("EUR", "12.50").subtract(Money.ofMinor("EUR", 251)).toString());
    assertEquals("JPY 1251", Money.of("JPY", "1250").add(Money.ofMinor("JPY", 1)).toString());
    assertEquals("-0.01", Money.ofMinor("EUR", -1).toDecimal());
    assertTrue(Money.of("KWD", "1.234").compareTo(Money.of("KWD", "1.235")) < 0);
  }

  @Test
  void doesNotMixCurrencies() {
    var euro = Money.of("EUR", "1");
    assertThrows(IllegalArgumentException.class, () -> euro.add(Money.of("USD", "1")));
    assertThrows(IllegalArgumentException.class, () -> Money.ofMinor("XAU", 1));
  }

  @Test
  void rejectsInvalidAmounts() {
    var most = Money.ofMinor("EUR", Long.MAX_VALUE);
    assertThrows(ArithmeticException.class, () -> most.add(Money.ofMinor("EUR", 1)));
    assertThrows(IllegalArgumentException.class, () -> Money.of("CLF", "9999999999999999.9999"));
    assertThrows(IllegalArgumentException.class, () -> Money.ofMinor("EUR", -1).toAmount());
  }
}
