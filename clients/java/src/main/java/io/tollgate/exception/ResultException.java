package io.tollgate.exception;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The gateway rejected the request. */
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
   * Builds the error message. A sandbox response names the invalid field, the fix for this case, and a link.
   * A live response has none of these, so its message has the general advice for the result code.
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

  /** The result code, such as {@code USER_BALANCE_NOT_ENOUGH}. */
  public String code() {
    return code;
  }

  /** The result status: {@code F}, or {@code U} if a rate limit was exceeded. */
  public String status() {
    return status;
  }

  /** The gateway's message. */
  public String resultMessage() {
    return resultMessage;
  }

  /** The recommended action. */
  public String advice() {
    return advice;
  }

  /**
   * Whether the rejection is signed. The gateway may send a rejection without a signature before it
   * authenticates the client.
   */
  public boolean isSigned() {
    return isSigned;
  }

  /** The complete response, including {@code result}. */
  public Map<String, Object> raw() {
    return raw == null ? Map.of() : raw;
  }
}
