package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    super(explained(refusal), facts);
    this.code = refusal.code();
    this.status = refusal.status();
    this.resultMessage = refusal.message();
    this.advice = refusal.advice();
    this.isSigned = refusal.isSigned();
    this.raw = refusal.fields();
  }

  /**
   * All that helps, where it is seen first: the sandbox names the field at fault, says what to do in this very case, and
   * where to read more. Live says none of it, so there it is the code's general advice.
   */
  private static String explained(Refusal refusal) {
    String hint = said(refusal, "resultHint");
    String field = said(refusal, "resultField");
    String docUrl = said(refusal, "docUrl");
    return Stream.of(
            (refusal.code() + ": " + refusal.message()).strip(),
            hint.isEmpty() ? refusal.advice() : hint,
            field.isEmpty() ? "" : "Field: " + field + ".",
            docUrl.isEmpty() ? "" : "See " + docUrl)
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining(" "));
  }

  private static String said(Refusal refusal, String name) {
    return refusal.fields().get("result") instanceof Map<?, ?> result
            && result.get(name) instanceof String text
        ? text
        : "";
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
