import io.tollgate.Tollgate;
import io.tollgate.model.InquiryPaymentRequest;

/** Inquires a payment with the client library, which reads keys and address from the environment. */
class Inquire {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").build();
    var request = InquiryPaymentRequest.builder().paymentId(parameters[0]).build();
    System.out.println(client.payments().inquiryPayment(request).paymentStatus());
  }
}
