package io.tollgate.life;

import io.tollgate.Money;
import io.tollgate.Tollgate;
import io.tollgate.model.Env;
import io.tollgate.model.InStorePaymentScenario;
import io.tollgate.model.Merchant;
import io.tollgate.model.Order;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentFactor;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.ProductCode;
import io.tollgate.model.SettlementStrategy;
import io.tollgate.model.Store;
import io.tollgate.model.StoreEnv;
import io.tollgate.model.TerminalType;
import java.util.Map;

/** The requests of the merchant. */
final class Shop {
  private static final Money PRICE = Money.of("EUR", "12.50");

  private final Surroundings surroundings;

  Shop(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  PayRequest payRequest() {
    return PayRequest.builder()
        .productCode(ProductCode.CASHIER_PAYMENT)
        .paymentRequestId(Tollgate.newRequestId("life"))
        .order(Order.builder()
            .referenceOrderId("order-1001")
            .orderDescription("Two coffees")
            .orderAmount(PRICE)
            .build())
        .paymentAmount(PRICE)
        .paymentMethod(PaymentMethod.builder().paymentMethodType("GCASH").build())
        .paymentRedirectUrl("https://shop.example/thanks")
        .paymentNotifyUrl(surroundings.mailbox() + "/notify?shop=1")
        .env(Env.builder().terminalType(TerminalType.WEB).build())
        .build();
  }

  /** The request for a buyer who shows a code at a point of sale. */
  PayRequest inStore(Map<String, Object> buyer) throws Exception {
    var code = (String) surroundings.control("payment-codes", buyer).get("paymentCode");
    var online = payRequest();
    return online.toBuilder()
        .productCode(ProductCode.IN_STORE_PAYMENT)
        .order(online.order().toBuilder().merchant(merchant()).env(till()).build())
        .paymentMethod(PaymentMethod.builder().paymentMethodType("CONNECT_WALLET").paymentMethodId(code).build())
        .paymentFactor(PaymentFactor.builder().inStorePaymentScenario(InStorePaymentScenario.PAYMENT_CODE).build())
        .settlementStrategy(SettlementStrategy.builder().settlementCurrency("EUR").build())
        .build();
  }

  private static Merchant merchant() {
    return Merchant.builder()
        .referenceMerchantId("m-1")
        .merchantName("Coffee Lab")
        .merchantMCC("5814")
        .store(Store.builder()
            .referenceStoreId("store-1")
            .storeName("Coffee Lab, Harbour")
            .storeMCC("5814")
            .build())
        .build();
  }

  private static StoreEnv till() {
    return StoreEnv.builder()
        .storeTerminalId("till-1")
        .storeTerminalRequestTime("2026-11-15T09:30:00+00:00")
        .build();
  }
}
