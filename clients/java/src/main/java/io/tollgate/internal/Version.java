package io.tollgate.internal;

/** Of this library; the same as in pom.xml. */
public final class Version {
  public static final String TEXT = "0.1.0";

  private Version() {}
}
