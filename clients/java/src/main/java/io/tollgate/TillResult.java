package io.tollgate;

import io.tollgate.model.Amount;

/** How a payment at a till has ended. The buyer leaves with the goods on {@link Paid}, and on nothing else. */
public sealed interface TillResult extends CodeResult {
  /** Why the payment stands there; of {@link Unknown}, the last that was heard, or null. */
  String resultCode();

  /** What to do now. */
  String advice();

  /** The money was taken: hand over the goods. */
  record Paid(
      String paymentRequestId,
      String paymentId,
      String resultCode,
      String advice,
      String paymentTime,
      Amount paymentAmount,
      Amount actualPaymentAmount)
      implements TillResult {}

  /** Nothing was taken, and nothing will be; {@code resultCode} says why. */
  record Declined(String paymentRequestId, String paymentId, String resultCode, String advice)
      implements TillResult {}

  /**
   * It was called off: nothing will be taken any more.
   *
   * @param moneyBack whether money had been taken, and went back; null if nobody said
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
   * Nobody knows, not even whether it is cancelled. Keep the id, and finish it with {@code finishByCode}.
   *
   * @param cause what came in place of the last answer; null if that was an answer
   */
  record Unknown(String paymentRequestId, String paymentId, String resultCode, Throwable cause)
      implements TillResult {
    @Override
    public String advice() {
      return "Keep the goods and the id, and call finishByCode with it until it says something else.";
    }
  }
}
