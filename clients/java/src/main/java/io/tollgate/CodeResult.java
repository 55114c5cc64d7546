package io.tollgate;

/** A code to show to a buyer ({@link OpenCode}), or the reason why there is none ({@link TillResult}). */
public sealed interface CodeResult permits OpenCode, TillResult {
  /** Your own id of the payment. It identifies the payment whatever the outcome. */
  String paymentRequestId();

  /** The gateway's id; null if it is unknown. */
  String paymentId();
}
