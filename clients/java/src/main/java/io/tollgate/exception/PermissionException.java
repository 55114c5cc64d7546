package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** The client is authenticated, but not allowed to do this. */
public final class PermissionException extends ResultException {
  private static final long serialVersionUID = 1L;

  public PermissionException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
