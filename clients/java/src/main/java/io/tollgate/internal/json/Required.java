package io.tollgate.internal.json;

/** Checks the required fields of a request. */
public final class Required {
  private Required() {}

  public static void check(String type, String field, Object value) {
    if (value == null) throw new IllegalArgumentException(type + " needs a " + field + ": set it before build().");
  }
}
