package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.InvalidKeyException;
import io.tollgate.exception.KeyProblem;
import io.tollgate.internal.Version;
import io.tollgate.testing.Reply;
import io.tollgate.testing.RequestVerifier;
import io.tollgate.testing.TestKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientTest {
  private static final Map<String, String> ENVIRONMENT = Map.of(
      "TOLLGATE_CLIENT_ID", "5YTEST",
      "TOLLGATE_PRIVATE_KEY", Shop.KEYS.privateKey(),
      "TOLLGATE_GATEWAY_PUBLIC_KEY", Shop.GATEWAY_KEYS.publicKey(),
      "TOLLGATE_BASE_URL", "https://gateway.example/",
      "TOLLGATE_ENVIRONMENT", "sandbox",
      "TOLLGATE_KEY_VERSION", "3");

  @Test
  void readsItsSettingsFromTheEnvironment() {
    var gateway = Shop.gateway(Reply.result("SUCCESS", "S"));
    Tollgate.builder().environmentVariables(ENVIRONMENT::get).transport(gateway).build().payments().pay(Shop.order());
    var sent = gateway.requests().get(0);
    assertEquals("https://gateway.example/ams/sandbox/api/v1/payments/pay", sent.url().toString());
    assertTrue(sent.headers().get("signature").startsWith("algorithm=RSA256,keyVersion=3,signature="));
  }

  @ParameterizedTest
  @CsvSource({
    "CLIENT_ID,clientId", "PRIVATE_KEY,privateKey", "GATEWAY_PUBLIC_KEY,gatewayPublicKey", "BASE_URL,baseUrl",
  })
  void saysWhatIsMissingAndWhereToSetIt(String variable, String option) {
    var environment = new HashMap<>(ENVIRONMENT);
    environment.remove("TOLLGATE_" + variable);
    var builder = Tollgate.builder().environmentVariables(environment::get);
    var problem = assertThrows(ConfigurationException.class, builder::build);
    var file = variable.endsWith("KEY") ? ", or TOLLGATE_" + variable + "_FILE" : "";
    assertEquals("There is no " + option + ": set it, or TOLLGATE_" + variable + file + ".", problem.getMessage());
  }

  @Test
  void readsKeysFromFiles(@TempDir Path folder) throws IOException {
    var own = Files.writeString(folder.resolve("own.pem"), Shop.KEYS.privateKey());
    var theirs = Files.writeString(folder.resolve("theirs.pem"), Shop.GATEWAY_KEYS.publicKey());
    var environment = new HashMap<>(ENVIRONMENT);
    environment.keySet().removeIf(name -> name.endsWith("_KEY"));
    environment.put("TOLLGATE_PRIVATE_KEY_FILE", own.toString());
    environment.put("TOLLGATE_GATEWAY_PUBLIC_KEY_FILE", theirs.toString());
    var gateway = Shop.gateway(Reply.result("SUCCESS", "S"));
    var builder = Tollgate.builder().environmentVariables(environment::get).transport(gateway);
    builder.build().payments().pay(Shop.order());
    Files.delete(theirs);
    var problem = assertThrows(ConfigurationException.class, builder::build);
    assertTrue(problem.getMessage().startsWith("TOLLGATE_GATEWAY_PUBLIC_KEY_FILE names " + theirs));
    builder.gatewayPublicKey(Shop.GATEWAY_KEYS.publicKey()).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "http://gateway.example", "https://gateway.example/ams", "ftp://gateway.example", "gateway", "https://", "a b",
  })
  void refusesAddressesThatCannotBeRight(String baseUrl) {
    var builder = Shop.client(Shop.gateway()).baseUrl(baseUrl);
    assertThrows(ConfigurationException.class, builder::build);
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "http://localhost:8080", "http://127.0.0.1:1/", "http://[::1]:8080", "https://gateway.example:8443",
  })
  void takesAddressesThatCanBeRight(String baseUrl) {
    Shop.client(Shop.gateway()).baseUrl(baseUrl).build();
  }

  @Test
  void warnsAboutOnesOwnKeyAsTheGatewaysKey() {
    var entries = new ArrayList<LogEntry>();
    Shop.client(Shop.gateway()).logger(entries::add).gatewayPublicKey(Shop.KEYS.publicKey()).build();
    var warning = assertInstanceOf(LogEntry.Warning.class, entries.get(0));
    assertTrue(warning.message().contains("your own public key"));
  }

  @Test
  void acceptsAKeyFromAKeyStore() throws Exception {
    var pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
    var gateway = Shop.gateway(Reply.result("SUCCESS", "S"));
    Shop.client(gateway).privateKey(pair.getPrivate()).build().payments().pay(Shop.order());
    var publicKey = Base64.getEncoder().encodeToString(pair.getPublic().getEncoded());
    RequestVerifier.verifyRequest(gateway.requests().get(0), publicKey);
  }

  @Test
  void rejectsInvalidKeysWithoutShowingThem() throws Exception {
    var builder = Tollgate.builder();
    var swapped = assertThrows(InvalidKeyException.class, () -> builder.privateKey(Shop.KEYS.publicKey()));
    assertEquals(KeyProblem.PUBLIC_INSTEAD_OF_PRIVATE, swapped.reason());
    assertFalse(swapped.getMessage().contains("MII"));
    var generator = KeyPairGenerator.getInstance("EC");
    var elliptic = generator.generateKeyPair().getPublic();
    assertEquals(KeyProblem.NOT_RSA,
        assertThrows(InvalidKeyException.class, () -> builder.gatewayPublicKey(elliptic)).reason());
  }

  @Test
  void sendsItsNameAndTheApplicationsName() {
    var gateway = Shop.gateway(Reply.result("SUCCESS", "S"));
    Shop.client(gateway).appInfo("shop-plugin", "2.1").build().payments().pay(Shop.order());
    var agent = gateway.requests().get(0).headers().get("user-agent");
    assertTrue(agent.matches("tollgate-java/" + Version.TEXT + " \\(java [0-9.]+\\) shop-plugin/2\\.1"), agent);
  }

  @Test
  void createsUniqueRequestIds() {
    assertTrue(Tollgate.newRequestId("order-1").matches("order-1-[0-9a-f]{32}"));
    assertFalse(Tollgate.newRequestId().equals(Tollgate.newRequestId()));
    assertThrows(IllegalArgumentException.class, () -> Tollgate.newRequestId(" "));
  }

  @Test
  void doesNotShowThePrivateKeyOfATest() {
    var keys = TestKeys.generate();
    assertFalse(keys.toString().contains(keys.privateKey()));
  }

  @Test
  void hasTheVersionOfItsPackage() throws IOException {
    var named = "<artifactId>tollgate-java</artifactId>\n  <version>" + Version.TEXT + "</version>";
    assertTrue(Files.readString(Path.of("pom.xml")).contains(named));
  }
}
