import io.tollgate.Money;
import io.tollgate.Tollgate;
import io.tollgate.model.InquiryPaymentRequest;
import java.time.Duration;

class Wait {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").build();
    var inquiry = InquiryPaymentRequest.builder().paymentId(System.getenv("PAYMENT_ID")).build();

    var payment = client.payments().waitForFinal(inquiry, Duration.ofSeconds(30));
    System.out.println((payment.isPaid() ? "Paid: " : "Not paid: ") + payment.paymentStatus() + " " + Money.from(payment.paymentAmount()));
  }
}
