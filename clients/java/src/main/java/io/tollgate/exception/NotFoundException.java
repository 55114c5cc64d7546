package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** There is no such record, or it is not yours. */
public final class NotFoundException extends ResultException {
  private static final long serialVersionUID = 1L;

  public NotFoundException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
