package io.tollgate;

/** A page for the buyer to open. */
public record OpenedEntryCode(String paymentRequestId, String paymentId, String endsAt, String redirectUrl)
    implements OpenCode {
  /** Returns text for people and logs, in which secret fields are masked. */
  @Override
  public String toString() {
    return "OpenedEntryCode[paymentRequestId=" + paymentRequestId + ", endsAt=" + endsAt + "]";
  }
}
