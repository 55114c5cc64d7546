package io.tollgate.internal;

/** Of this library; written by {@code npm run version:write}. */
public final class Version {
  public static final String TEXT = "0.1.0";

  private Version() {}
}
