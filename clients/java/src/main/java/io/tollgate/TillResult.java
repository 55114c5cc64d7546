package io.tollgate;

import io.tollgate.model.Amount;

/** The result of a payment at a point of sale. Hand over the goods only on {@link Paid}. */
public sealed interface TillResult extends CodeResult {
  /** The reason; for {@link Unknown} the last result code, or null. */
  String resultCode();

  /** The recommended action. */
  String advice();

  /** The payment succeeded: hand over the goods. */
  record Paid(
      String paymentRequestId,
      String paymentId,
      String resultCode,
      String advice,
      String paymentTime,
      Amount paymentAmount,
      Amount actualPaymentAmount)
      implements TillResult {}

  /** The payment failed: no money was taken, and none will be. {@code resultCode} has the reason. */
  record Declined(String paymentRequestId, String paymentId, String resultCode, String advice)
      implements TillResult {}

  /**
   * The payment was cancelled: no money will be taken.
   *
   * @param moneyBack whether money had been taken and is returned; null if this is unknown
   */
  record Cancelled(
      String paymentRequestId,
      String paymentId,
      String resultCode,
      String advice,
      String cancelTime,
      Boolean moneyBack)
      implements TillResult {}

  /**
   * The outcome is unknown, and so is whether the payment is cancelled. Keep the id, and finish the payment
   * with {@code finishByCode}.
   *
   * @param cause the error that occurred instead of the last response; null if there was a response
   */
  record Unknown(String paymentRequestId, String paymentId, String resultCode, Throwable cause)
      implements TillResult {
    @Override
    public String advice() {
      return "Keep the goods and the id. Call finishByCode with the id until the outcome is known.";
    }
  }
}
