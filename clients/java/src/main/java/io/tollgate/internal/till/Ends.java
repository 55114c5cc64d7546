package io.tollgate.internal.till;

import io.tollgate.TillResult;
import io.tollgate.internal.generated.ResultCodes;
import io.tollgate.model.Amount;
import io.tollgate.model.InquiryPaymentResponse;
import io.tollgate.model.PayResponse;
import io.tollgate.model.PaymentStatus;
import io.tollgate.model.TransactionStatus;
import io.tollgate.model.TransactionType;
import java.util.function.Supplier;

/** Converts responses to the final results of a payment at a point of sale. */
record Ends(String paymentRequestId, Supplier<String> paymentId) {
  TillResult paid(PayResponse answer) {
    return paid(answer.paymentTime(), answer.paymentAmount(), answer.actualPaymentAmount());
  }

  private TillResult paid(String time, Amount amount, Amount actual) {
    return new TillResult.Paid(
        paymentRequestId, paymentId.get(), "SUCCESS", adviceOn("SUCCESS"), time, amount, actual);
  }

  TillResult declined(String code) {
    return new TillResult.Declined(paymentRequestId, paymentId.get(), code, adviceOn(code));
  }

  /**
   * @param asked the result of the inquiry after the cancel; only this inquiry shows whether money is
   *     returned
   */
  TillResult cancelled(String time, InquiryPaymentResponse asked) {
    var code = "ORDER_IS_CANCELED";
    var moneyBack = asked == null ? null : (Boolean) wasPaid(asked);
    return new TillResult.Cancelled(paymentRequestId, paymentId.get(), code, adviceOn(code), time, moneyBack);
  }

  TillResult unknown(Heard<?> last) {
    return new TillResult.Unknown(paymentRequestId, paymentId.get(), last.code(), last.fault());
  }

  /** The final outcome in an inquiry; null as long as there is none. */
  TillResult of(Heard<InquiryPaymentResponse> asked) {
    if (!asked.isSuccess() || asked.answer().paymentStatus() == null) return null;
    var answer = asked.answer();
    return switch (answer.paymentStatus().text()) {
      case "SUCCESS" -> isGoingBack(answer)
          ? null
          : paid(answer.paymentTime(), answer.paymentAmount(), answer.actualPaymentAmount());
      case "FAIL" -> declined(answer.paymentResultCode() == null ? "PROCESS_FAIL" : answer.paymentResultCode());
      case "CANCELLED" -> cancelled(null, answer);
      default -> null;
    };
  }

  static boolean isBuyersTurn(Heard<InquiryPaymentResponse> asked) {
    return asked.isSuccess() && !PaymentStatus.SUCCESS.equals(asked.answer().paymentStatus());
  }

  /**
   * A cancel is in progress: the payment stays paid until its payment provider has confirmed the reversal.
   */
  private static boolean isGoingBack(InquiryPaymentResponse answer) {
    return answer.transactions() != null
        && answer.transactions().stream().anyMatch(each -> TransactionType.CANCEL.equals(each.transactionType())
            && TransactionStatus.PROCESSING.equals(each.transactionStatus()));
  }

  private static boolean wasPaid(InquiryPaymentResponse answer) {
    return answer.paymentTime() != null || answer.transactions() != null && !answer.transactions().isEmpty();
  }

  private static String adviceOn(String code) {
    return ResultCodes.factsOf(code).advice();
  }
}
