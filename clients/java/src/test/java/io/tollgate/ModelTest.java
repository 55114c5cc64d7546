package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.model.Amount;
import io.tollgate.model.Goods;
import io.tollgate.model.NotificationBody;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PayResponse;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.ProductCode;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelTest {
  @Test
  void reportsMissingRequiredFields() {
    var builder = PayRequest.builder().productCode(ProductCode.CASHIER_PAYMENT);
    var problem = assertThrows(IllegalArgumentException.class, builder::build);
    assertEquals("PayRequest needs a paymentRequestId: set it before build().", problem.getMessage());
  }

  @Test
  void keepsUnknownValuesAndFields() {
    var json = Shop.order().toJson()
        .replace("CASHIER_PAYMENT", "SOMETHING_NEW")
        .replaceFirst("\\{", "{\"novel\":{\"a\":[1]},");
    var read = PayRequest.fromJson(json);
    assertEquals("SOMETHING_NEW", read.productCode().text());
    assertEquals(Map.of("novel", Map.of("a", List.of(1L))), read.unknownFields());
    assertEquals(read, PayRequest.fromJson(read.toJson()));
  }

  @Test
  void buildsAResponseForATestWithoutAllFields() {
    var paid = PayResponse.builder().paymentId("1").call(new CallFacts("payments/pay", "r-1", "t-1", 2)).build();
    assertEquals(2, paid.attempts());
    assertEquals("1", paid.paymentId());
    assertNull(paid.result());
    assertEquals("2", paid.toBuilder().paymentId("2").build().paymentId());
    assertEquals("t-1", paid.toBuilder().build().traceId());
  }

  @Test
  void responsesWithEqualFieldsAreEqual() {
    var read = PayResponse.fromJson("{\"paymentId\":\"1\",\"novel\":true}");
    var called = read.toBuilder().call(new CallFacts("payments/pay", "r-1", "t-1", 2)).build();
    assertEquals(read, called);
    assertEquals(read.hashCode(), called.hashCode());
    assertFalse(read.equals(called.toBuilder().paymentId("2").build()));
    assertFalse(read.equals(called.toBuilder().unknownField("novel", false).build()));
  }

  @Test
  void modelsHaveNoPublicConstructors() {
    assertEquals(0, PayResponse.class.getConstructors().length);
    assertTrue(Modifier.isFinal(PayResponse.class.getModifiers()));
    assertFalse(NotificationBody.class.isSealed());
  }

  @Test
  void comparesOpenTextsByTheirText() {
    assertEquals(ProductCode.CASHIER_PAYMENT, ProductCode.of("CASHIER_PAYMENT"));
    assertFalse(ProductCode.CASHIER_PAYMENT.equals(ProductCode.of("cashier_payment")));
    assertNull(ProductCode.of(null));
  }

  @Test
  void masksSecretsInToString() {
    var method = PaymentMethod.builder()
        .paymentMethodType("CONNECT_WALLET")
        .paymentMethodId("281012020262467128")
        .build();
    assertFalse(Shop.order().toBuilder().paymentMethod(method).build().toString().contains("281012020262467128"));
    assertTrue(method.toString().contains("CONNECT_WALLET"));
  }

  @Test
  void copiesListsSoThatCallersCannotChangeThem() {
    var goods = new ArrayList<>(List.of(Goods.builder().referenceGoodsId("g-1").goodsName("Coffee").build()));
    var order = Shop.order().order().toBuilder().goods(goods).build();
    goods.clear();
    assertEquals(1, order.goods().size());
    assertThrows(UnsupportedOperationException.class, () -> order.unknownFields().put("a", 1));
  }

  @Test
  void toBuilderChangesACopy() {
    var order = Shop.order();
    var other = order.toBuilder().paymentAmount(Money.of("EUR", "13")).build();
    assertEquals("1250", order.paymentAmount().value());
    assertEquals("1300", other.paymentAmount().value());
  }

  @Test
  void sendsUnknownFields() {
    var amount = Amount.builder().currency("EUR").value("1").unknownField("novel", List.of(1, "two")).build();
    assertTrue(Shop.order().toBuilder().paymentAmount(amount).build().toJson().contains("\"novel\":[1,\"two\"]"));
  }
}
