package io.tollgate;

import io.tollgate.internal.generated.Currencies;
import io.tollgate.model.Amount;
import java.math.BigDecimal;
import java.util.regex.Pattern;

/** An amount in the smallest unit of its currency, without floats: EUR 12.50 is 1250, JPY 1250 is 1250. */
public record Money(String currency, long minor) implements Comparable<Money> {
  private static final Pattern DECIMAL = Pattern.compile("(-?)([0-9]{1,16})(?:\\.([0-9]+))?");
  private static final Pattern VALUE = Pattern.compile("[0-9]{1,16}");

  public Money {
    digitsOf(currency);
  }

  /**
   * Reads a decimal, such as {@code Money.of("EUR", "12.50")}. Rejects more decimals than the currency has.
   */
  public static Money of(String currency, String decimal) {
    int digits = digitsOf(currency);
    var match = DECIMAL.matcher(decimal);
    if (!match.matches()) throw new IllegalArgumentException("Invalid amount: " + decimal);
    var fraction = match.group(3) == null ? "" : match.group(3);
    if (fraction.length() > digits) {
      throw new IllegalArgumentException(currency + " has " + digits + " decimals, and not " + fraction.length() + ".");
    }
    var minor = match.group(1) + match.group(2) + fraction + "0".repeat(digits - fraction.length());
    return new Money(currency, parsed(minor));
  }

  public static Money ofMinor(String currency, long minor) {
    return new Money(currency, minor);
  }

  /** Reads the wire format. */
  public static Money from(Amount amount) {
    var value = amount.value();
    if (!VALUE.matcher(value).matches()) throw new IllegalArgumentException("Invalid amount: " + value);
    return new Money(amount.currency(), parsed(value));
  }

  /** Writes the wire format, which does not allow negative amounts. */
  public Amount toAmount() {
    if (minor < 0) throw new IllegalArgumentException("A negative amount cannot be sent.");
    return Amount.builder().currency(currency).value(String.valueOf(minor)).build();
  }

  public Money add(Money other) {
    return new Money(sameAs(other), Math.addExact(minor, other.minor));
  }

  public Money subtract(Money other) {
    return new Money(sameAs(other), Math.subtractExact(minor, other.minor));
  }

  @Override
  public int compareTo(Money other) {
    sameAs(other);
    return Long.compare(minor, other.minor);
  }

  /** Returns the decimal, for example {@code 12.50}: without currency and without thousands separators. */
  public String toDecimal() {
    return BigDecimal.valueOf(minor, digitsOf(currency)).toPlainString();
  }

  /** {@code EUR 12.50} */
  @Override
  public String toString() {
    return currency + " " + toDecimal();
  }

  private String sameAs(Money other) {
    if (currency.equals(other.currency)) return currency;
    throw new IllegalArgumentException(currency + " and " + other.currency + " are different currencies.");
  }

  private static long parsed(String minor) {
    try {
      return Long.parseLong(minor);
    } catch (NumberFormatException problem) {
      throw new IllegalArgumentException("The amount is too large: " + minor);
    }
  }

  private static int digitsOf(String currency) {
    var digits = Currencies.digitsOf(currency);
    if (digits == null) throw new IllegalArgumentException("Unknown currency " + currency + ".");
    return digits;
  }
}
