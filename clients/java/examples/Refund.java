import io.tollgate.Money;
import io.tollgate.Tollgate;
import io.tollgate.model.InquiryRefundRequest;
import io.tollgate.model.RefundRequest;

class Refund {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").build();
    var refundRequestId = Tollgate.newRequestId("refund");

    client.payments().refund(RefundRequest.builder()
        .refundRequestId(refundRequestId)
        .paymentId(System.getenv("PAYMENT_ID"))
        .refundAmount(Money.of("EUR", "2.50"))
        .refundNotifyUrl("https://shop.example/notify?shop=1")
        .build());
    var inquiry = InquiryRefundRequest.builder().refundRequestId(refundRequestId).build();
    System.out.println(client.payments().waitForFinalRefund(inquiry).refundStatus());
  }
}
