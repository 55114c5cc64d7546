package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The request id was used before with different content. */
public final class IdempotencyConflictException extends ResultException {
  private static final long serialVersionUID = 1L;

  public IdempotencyConflictException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
