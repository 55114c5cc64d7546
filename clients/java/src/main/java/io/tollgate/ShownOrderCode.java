package io.tollgate;

/**
 * There is a code to show.
 *
 * @param codeText what the code says: draw it
 */
public record ShownOrderCode(String paymentRequestId, String paymentId, String endsAt, String codeText)
    implements OpenCode {
  /** For people and logs: what is secret is hidden. */
  @Override
  public String toString() {
    return "ShownOrderCode[paymentRequestId=" + paymentRequestId + ", endsAt=" + endsAt + "]";
  }
}
