package io.tollgate.testing;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;

/** A pair of keys for tests, in base64. */
public record TestKeys(String privateKey, String publicKey) {
  /** A new pair. */
  public static TestKeys generate() {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      var pair = generator.generateKeyPair();
      var base64 = Base64.getEncoder();
      return new TestKeys(
          base64.encodeToString(pair.getPrivate().getEncoded()), base64.encodeToString(pair.getPublic().getEncoded()));
    } catch (GeneralSecurityException problem) {
      throw new IllegalStateException("Every Java can make RSA keys.", problem);
    }
  }

  /** Not the private one. */
  @Override
  public String toString() {
    return "TestKeys[" + publicKey + "]";
  }
}
