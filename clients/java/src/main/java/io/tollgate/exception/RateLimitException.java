package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The client sent too many requests (rate limit). The request had no effect. */
public final class RateLimitException extends ResultException {
  private static final long serialVersionUID = 1L;

  public RateLimitException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
