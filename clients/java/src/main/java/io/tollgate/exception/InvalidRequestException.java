package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The request has to be corrected. */
public final class InvalidRequestException extends ResultException {
  private static final long serialVersionUID = 1L;

  public InvalidRequestException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
