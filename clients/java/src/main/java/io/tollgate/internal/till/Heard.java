package io.tollgate.internal.till;

import io.tollgate.Answer;

/** The outcome of a call: a signed response, or a failure, which contains no information about money. */
record Heard<A extends Answer>(A answer, String code, Throwable fault) {
  static <A extends Answer> Heard<A> nothing() {
    return new Heard<>(null, null, null);
  }

  boolean isSuccess() {
    return answer != null && answer.isSuccess();
  }

  boolean isFailure() {
    return answer != null && answer.isFailure();
  }
}
