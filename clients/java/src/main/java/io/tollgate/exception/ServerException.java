package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;

/** A fault at the gateway or at a system behind it. */
public final class ServerException extends ResultException {
  private static final long serialVersionUID = 1L;

  public ServerException(Refusal refusal, CallFacts facts) {
    super(refusal, facts);
  }
}
