package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The request id came before with other content. */
public final class IdempotencyConflictException extends ResultException {
  private static final long serialVersionUID = 1L;

  public IdempotencyConflictException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
