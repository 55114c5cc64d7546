package io.tollgate.internal.call;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;
import io.tollgate.exception.AuthenticationException;
import io.tollgate.exception.DeclinedException;
import io.tollgate.exception.IdempotencyConflictException;
import io.tollgate.exception.InvalidRequestException;
import io.tollgate.exception.NotFoundException;
import io.tollgate.exception.PermissionException;
import io.tollgate.exception.RateLimitException;
import io.tollgate.exception.ResultException;
import io.tollgate.exception.ServerException;

/** The exception classes of rejections. */
public enum ErrorKind {
  INVALID_REQUEST,
  AUTHENTICATION,
  PERMISSION,
  IDEMPOTENCY_CONFLICT,
  RATE_LIMIT,
  NOT_FOUND,
  DECLINED,
  SERVER;

  ResultException exception(Refusal refusal, CallFacts facts) {
    return switch (this) {
      case INVALID_REQUEST -> new InvalidRequestException(refusal, facts);
      case AUTHENTICATION -> new AuthenticationException(refusal, facts);
      case PERMISSION -> new PermissionException(refusal, facts);
      case IDEMPOTENCY_CONFLICT -> new IdempotencyConflictException(refusal, facts);
      case RATE_LIMIT -> new RateLimitException(refusal, facts);
      case NOT_FOUND -> new NotFoundException(refusal, facts);
      case DECLINED -> new DeclinedException(refusal, facts);
      case SERVER -> new ServerException(refusal, facts);
    };
  }
}
