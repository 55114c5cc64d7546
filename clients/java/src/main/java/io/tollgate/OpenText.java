package io.tollgate;

import java.util.Objects;

/**
 * A known value, or a value that only a newer gateway has; it is kept and never throws. To branch, compare
 * with {@code equals}, or {@code switch} on {@link #text()}.
 */
public abstract class OpenText {
  private final String text;

  protected OpenText(String text) {
    this.text = Objects.requireNonNull(text);
  }

  /** The wire value. */
  public final String text() {
    return text;
  }

  @Override
  public final boolean equals(Object other) {
    return other != null && other.getClass() == getClass() && ((OpenText) other).text.equals(text);
  }

  @Override
  public final int hashCode() {
    return text.hashCode();
  }

  @Override
  public final String toString() {
    return text;
  }
}
