import io.tollgate.Tollgate;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.testing.FakeClock;
import io.tollgate.testing.FakeGateway;
import io.tollgate.testing.Reply;
import io.tollgate.testing.RequestVerifier;
import io.tollgate.testing.TestKeys;
import java.util.Map;

/** Tests your code against a gateway in memory: real keys, real signatures, no network. */
class UnitTest {
  public static void main(String[] parameters) {
    var merchant = TestKeys.generate();
    var gateway = TestKeys.generate();
    var fake = new FakeGateway(gateway, Reply.reset(), Reply.of("""
        {"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":""},"paymentStatus":"SUCCESS"}"""));
    var client = Tollgate.builder()
        .clientId("5YTEST")
        .privateKey(merchant.privateKey())
        .gatewayPublicKey(gateway.publicKey())
        .baseUrl("https://gateway.example")
        .transport(fake)
        .clock(new FakeClock())
        .build();

    var payment = client.payments().inquiryPayment(InquiryPaymentRequest.builder().paymentId("1").build());
    check(payment.isPaid());
    check(payment.attempts() == 2);
    check(RequestVerifier.verifyRequest(fake.requests().get(1), merchant.publicKey()).equals(Map.of("paymentId", "1")));
    System.out.println("ok");
  }

  private static void check(boolean holds) {
    if (!holds) throw new AssertionError();
  }
}
