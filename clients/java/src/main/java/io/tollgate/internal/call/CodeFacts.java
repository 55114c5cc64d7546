package io.tollgate.internal.call;

/**
 * The facts that this version of the library knows about a result code.
 *
 * @param error the exception class; null if the code is not an error
 * @param mayBeUnsigned whether the gateway may return it before it authenticates the client, and so without a
 *     signature
 */
public record CodeFacts(ErrorKind error, boolean isRetryable, boolean mayBeUnsigned, String advice) {
  /** The facts about a code that only a newer gateway has. */
  public static final CodeFacts UNKNOWN = new CodeFacts(null, false, false, "");
}
