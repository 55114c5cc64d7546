package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The gateway does not know who calls: client id, key or signature. */
public final class AuthenticationException extends ResultException {
  private static final long serialVersionUID = 1L;

  public AuthenticationException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
