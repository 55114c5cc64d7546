package io.tollgate;

/**
 * A code to show to the buyer.
 *
 * @param codeText the content of the code to draw
 */
public record ShownOrderCode(String paymentRequestId, String paymentId, String endsAt, String codeText)
    implements OpenCode {
  /** Returns text for people and logs, in which secret fields are masked. */
  @Override
  public String toString() {
    return "ShownOrderCode[paymentRequestId=" + paymentRequestId + ", endsAt=" + endsAt + "]";
  }
}
