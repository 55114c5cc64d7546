package io.tollgate.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.exception.ResultException;
import io.tollgate.internal.json.Json;
import io.tollgate.model.InquiryPaymentRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;
import shop.TollgateExtension;

/** Tests of runs that share a gateway. {@code npm run test:clients -- packages} shows how to start it. */
@ExtendWith(TollgateExtension.class)
@EnabledIfEnvironmentVariable(named = "TOLLGATE_COMMAND", matches = ".+")
class SharedTollgateTest {
  @Test
  void eachRunThatFindsAGatewayHasAMerchantOfItsOwnUntilItEnds(StartedTollgate tollgate) {
    var named = Map.of(
        "TOLLGATE_BASE_URL", tollgate.baseUrl(),
        "TOLLGATE_CONTROL_SECRET", (String) tollgate.running.get("controlSecret"));
    var handed = Map.of("TOLLGATE_DEV", Json.write(tollgate.running));
    for (var variables : List.of(named, handed)) {
      var own = StartedTollgate.start("false", variables);
      assertNotEquals(tollgate.clientId(), own.clientId());
      assertEquals("ORDER_NOT_EXIST", codeOf(own));
      own.close();
      assertEquals("INVALID_CLIENT_STATUS", codeOf(own));
      assertFalse(Files.exists(Path.of(own.variables().get("TOLLGATE_PRIVATE_KEY_FILE"))));
    }
    assertEquals("ORDER_NOT_EXIST", codeOf(tollgate));
  }

  @Test
  void whatAParentProcessOfTheSameRunHasBegunIsShared(StartedTollgate tollgate) {
    var begun = new HashMap<>(tollgate.running);
    begun.put("isOfThisRun", true);
    try (var shared = StartedTollgate.start("false", Map.of("TOLLGATE_DEV", Json.write(begun)))) {
      assertEquals(tollgate.clientId(), shared.clientId());
    }
    assertEquals("ORDER_NOT_EXIST", codeOf(tollgate));
  }

  @Test
  void aGatewayThatIsNamedAndCannotBeUsedIsToldAndOneThatHasEndedIsReplaced(StartedTollgate tollgate) {
    var nowhere = "http://127.0.0.1:9";
    var dead = new HashMap<>(tollgate.running);
    dead.put("baseUrl", nowhere);
    assertTrue(problemWith(Map.of("TOLLGATE_DEV", Json.write(dead)))
        .equals("TOLLGATE_DEV names http://127.0.0.1:9, but no gateway listens there."));
    assertTrue(problemWith(Map.of("TOLLGATE_BASE_URL", tollgate.baseUrl(), "TOLLGATE_CONTROL_SECRET", "guessed"))
        .contains("created no isolated test merchant: {\"problem\":\"Send the sandbox's control secret"));
    assertTrue(problemWith(Map.of("TOLLGATE_BASE_URL", nowhere, "TOLLGATE_CONTROL_SECRET", "guessed"))
        .startsWith("Tollgate ended with 3 before it was ready."));
  }

  private static String problemWith(Map<String, String> variables) {
    return assertThrows(IllegalStateException.class, () -> StartedTollgate.start("exit 3;", variables)).getMessage();
  }

  private static String codeOf(StartedTollgate tollgate) {
    var inquiry = InquiryPaymentRequest.builder().paymentId("none").build();
    return assertThrows(ResultException.class, () -> tollgate.client().payments().inquiryPayment(inquiry)).code();
  }
}
