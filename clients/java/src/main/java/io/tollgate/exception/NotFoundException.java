package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The record does not exist, or it belongs to another merchant. */
public final class NotFoundException extends ResultException {
  private static final long serialVersionUID = 1L;

  public NotFoundException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
