import com.alipay.global.api.DefaultAlipayClient;
import com.alipay.global.api.exception.AlipayApiException;
import com.alipay.global.api.request.ams.pay.AlipayPayQueryRequest;
import com.alibaba.fastjson.JSON;

/** Asks about a payment with the published Java library, unmodified, which verifies the answer itself. */
class Inquire {
  public static void main(String[] arguments) {
    var client =
        new DefaultAlipayClient(
            System.getenv("GATEWAY_URL"),
            System.getenv("PRIVATE_KEY_PKCS8"),
            System.getenv("GATEWAY_PUBLIC_KEY"),
            System.getenv("CLIENT_ID"));
    var request = new AlipayPayQueryRequest();
    request.setPath("/ams/api/v1/payments/inquiryPayment");
    request.setPaymentId(System.getenv("PAYMENT_ID"));

    try {
      System.out.println(JSON.toJSONString(client.execute(request)));
    } catch (AlipayApiException refused) {
      System.err.println("refused: " + refused.getMessage());
      System.exit(1);
    }
  }
}
