package io.tollgate;

/** What there is to show to a buyer ({@link OpenCode}), or why there is nothing ({@link TillResult}). */
public sealed interface CodeResult permits OpenCode, TillResult {
  /** Your own id: whatever became of the payment, it is known by this one. */
  String paymentRequestId();

  /** The gateway's; null if it was not told. */
  String paymentId();
}
