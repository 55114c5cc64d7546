package io.tollgate;

/** There is a page to send the buyer to. */
public record OpenedEntryCode(String paymentRequestId, String paymentId, String endsAt, String redirectUrl)
    implements OpenCode {
  /** For people and logs: what is secret is hidden. */
  @Override
  public String toString() {
    return "OpenedEntryCode[paymentRequestId=" + paymentRequestId + ", endsAt=" + endsAt + "]";
  }
}
