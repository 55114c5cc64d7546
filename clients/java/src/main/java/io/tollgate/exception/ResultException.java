package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;
import java.util.Map;

/** The gateway said no. */
public class ResultException extends GatewayException {
  private static final long serialVersionUID = 1L;
  private final String code;
  private final String status;
  private final String resultMessage;
  private final String advice;
  private final boolean isSigned;
  private final transient Map<String, Object> raw;

  public ResultException(Refusal refusal, CallFacts facts) {
    super((refusal.code() + ": " + refusal.message() + " " + refusal.advice()).strip(), facts);
    this.code = refusal.code();
    this.status = refusal.status();
    this.resultMessage = refusal.message();
    this.advice = refusal.advice();
    this.isSigned = refusal.isSigned();
    this.raw = refusal.fields();
  }

  /** Such as {@code USER_BALANCE_NOT_ENOUGH}. */
  public String code() {
    return code;
  }

  /** {@code F}, or {@code U} if you called too often. */
  public String status() {
    return status;
  }

  /** The gateway's words. */
  public String resultMessage() {
    return resultMessage;
  }

  /** What to do about it. */
  public String advice() {
    return advice;
  }

  /** Refusals from before the caller is known may come unsigned. */
  public boolean isSigned() {
    return isSigned;
  }

  /** The whole answer, {@code result} included. */
  public Map<String, Object> raw() {
    return raw == null ? Map.of() : raw;
  }
}
