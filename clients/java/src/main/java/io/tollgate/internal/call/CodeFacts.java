package io.tollgate.internal.call;

/**
 * What this version of the library knows of a result code.
 *
 * @param error the class that is thrown; null for what is no error
 * @param mayBeUnsigned whether the gateway may give it before it knows who calls, and then without a signature
 */
public record CodeFacts(ErrorKind error, boolean isRetryable, boolean mayBeUnsigned, String advice) {
  /** Of codes that a newer gateway has. */
  public static final CodeFacts UNKNOWN = new CodeFacts(null, false, false, "");
}
