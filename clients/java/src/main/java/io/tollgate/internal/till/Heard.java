package io.tollgate.internal.till;

import io.tollgate.Answer;

/** What became of a call: an answer that is signed, or anything else, which says nothing about money. */
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
