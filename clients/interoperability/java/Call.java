import com.alibaba.fastjson.JSON;
import com.alipay.global.api.DefaultAlipayClient;
import com.alipay.global.api.exception.AlipayApiException;
import com.alipay.global.api.model.ams.Amount;
import com.alipay.global.api.model.ams.Env;
import com.alipay.global.api.model.ams.Order;
import com.alipay.global.api.model.ams.PaymentMethod;
import com.alipay.global.api.model.ams.ProductCodeType;
import com.alipay.global.api.model.ams.TerminalType;
import com.alipay.global.api.request.AlipayRequest;
import com.alipay.global.api.request.ams.notify.AlipayPayResultNotify;
import com.alipay.global.api.request.ams.pay.AlipayPayCancelRequest;
import com.alipay.global.api.request.ams.pay.AlipayPayQueryRequest;
import com.alipay.global.api.request.ams.pay.AlipayPayRequest;
import com.alipay.global.api.request.ams.pay.AlipayRefundRequest;
import com.alipay.global.api.tools.WebhookTool;

/**
 * Calls one operation with the published, unmodified Java library, which verifies responses and webhooks
 * itself.
 */
class Call {
  public static void main(String[] arguments) {
    var client =
        new DefaultAlipayClient(
            System.getenv("GATEWAY_URL"),
            System.getenv("PRIVATE_KEY_PKCS8"),
            System.getenv("GATEWAY_PUBLIC_KEY"),
            System.getenv("CLIENT_ID"));
    try {
      System.out.println(
          JSON.toJSONString(
              arguments[0].equals("notification")
                  ? notification(arguments[1])
                  : client.execute(request(arguments[0], arguments[1]))));
    } catch (AlipayApiException refused) {
      System.err.println("refused: " + refused.getMessage());
      System.exit(1);
    }
  }

  private static AlipayPayResultNotify notification(String text) throws AlipayApiException {
    var told = JSON.parseObject(text);
    var isSigned =
        WebhookTool.checkSignature(
            told.getString("path"),
            told.getString("method"),
            System.getenv("CLIENT_ID"),
            told.getString("requestTime"),
            told.getString("signature"),
            told.getString("body"),
            System.getenv("GATEWAY_PUBLIC_KEY"));
    if (!isSigned) throw new AlipayApiException("the webhook does not verify");
    return JSON.parseObject(told.getString("body"), AlipayPayResultNotify.class);
  }

  private static AlipayRequest<?> request(String operation, String id) {
    switch (operation) {
      case "pay":
        return pay(id);
      case "inquire":
        var inquiry = new AlipayPayQueryRequest();
        inquiry.setPath("/ams/api/v1/payments/inquiryPayment");
        inquiry.setPaymentId(id);
        return inquiry;
      case "cancel":
        var cancel = new AlipayPayCancelRequest();
        cancel.setPath("/ams/api/v1/payments/cancel");
        cancel.setPaymentId(id);
        return cancel;
      case "refund":
        var refund = new AlipayRefundRequest();
        refund.setPath("/ams/api/v1/payments/refund");
        refund.setRefundRequestId("refund-of-" + id);
        refund.setPaymentId(id);
        refund.setRefundAmount(euro("250"));
        return refund;
      default:
        throw new IllegalArgumentException(operation);
    }
  }

  private static AlipayPayRequest pay(String paymentRequestId) {
    var order = new Order();
    order.setReferenceOrderId("order-1001");
    order.setOrderDescription("Two coffees");
    order.setOrderAmount(euro("1250"));
    var method = new PaymentMethod();
    method.setPaymentMethodType("GCASH");
    var env = new Env();
    env.setTerminalType(TerminalType.WEB);

    var pay = new AlipayPayRequest();
    pay.setPath("/ams/api/v1/payments/pay");
    pay.setProductCode(ProductCodeType.CASHIER_PAYMENT);
    pay.setPaymentRequestId(paymentRequestId);
    pay.setOrder(order);
    pay.setPaymentAmount(euro("1250"));
    pay.setPaymentMethod(method);
    pay.setPaymentRedirectUrl("https://shop.example/thanks");
    pay.setPaymentNotifyUrl(System.getenv("NOTIFY_URL"));
    pay.setEnv(env);
    return pay;
  }

  private static Amount euro(String value) {
    var amount = new Amount();
    amount.setCurrency("EUR");
    amount.setValue(value);
    return amount;
  }
}
