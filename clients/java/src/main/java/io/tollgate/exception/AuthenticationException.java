package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The gateway could not authenticate the client: client id, key or signature. */
public final class AuthenticationException extends ResultException {
  private static final long serialVersionUID = 1L;

  public AuthenticationException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
