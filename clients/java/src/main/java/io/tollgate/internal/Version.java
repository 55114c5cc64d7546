package io.tollgate.internal;

/** The version of this library; written by {@code npm run version:write}. */
public final class Version {
  public static final String TEXT = "1.0.0-rc.1";

  private Version() {}
}
