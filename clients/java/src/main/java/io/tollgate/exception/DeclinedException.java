package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The buyer, the payment provider or a rule of the payment rejected the request. */
public final class DeclinedException extends ResultException {
  private static final long serialVersionUID = 1L;

  public DeclinedException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
