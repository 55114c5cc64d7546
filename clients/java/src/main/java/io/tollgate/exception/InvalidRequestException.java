package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The request is invalid. Correct it. */
public final class InvalidRequestException extends ResultException {
  private static final long serialVersionUID = 1L;

  public InvalidRequestException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
