import io.tollgate.CallOptions;
import io.tollgate.Tollgate;
import io.tollgate.model.InquiryPaymentRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

class Async {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").build();
    var options = CallOptions.DEFAULT.withTimeout(Duration.ofSeconds(10)).withThrowOnFailure(false);

    // Three concurrent inquiries. Cancelling a future aborts its call.
    var inquiries = Stream.of(System.getenv("PAYMENT_ID"), "20260101000001", "20260101000002")
        .map(id -> InquiryPaymentRequest.builder().paymentId(id).build())
        .map(inquiry -> client.payments().inquiryPaymentAsync(inquiry, options))
        .toList();
    CompletableFuture.allOf(inquiries.toArray(CompletableFuture[]::new)).join();
    inquiries.forEach(inquiry -> System.out.println(inquiry.join().result().resultCode()));
  }
}
