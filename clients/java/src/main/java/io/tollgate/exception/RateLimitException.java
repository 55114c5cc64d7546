package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** Called too often. Nothing was done. */
public final class RateLimitException extends ResultException {
  private static final long serialVersionUID = 1L;

  public RateLimitException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
