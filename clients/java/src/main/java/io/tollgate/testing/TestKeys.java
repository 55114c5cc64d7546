package io.tollgate.testing;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;

/** A key pair for tests, in base64. */
public record TestKeys(String privateKey, String publicKey) {
  /** Creates a key pair. */
  public static TestKeys generate() {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      var pair = generator.generateKeyPair();
      var base64 = Base64.getEncoder();
      return new TestKeys(
          base64.encodeToString(pair.getPrivate().getEncoded()), base64.encodeToString(pair.getPublic().getEncoded()));
    } catch (GeneralSecurityException problem) {
      throw new IllegalStateException("This Java runtime cannot create RSA keys.", problem);
    }
  }

  /** Without the private key. */
  @Override
  public String toString() {
    return "TestKeys[" + publicKey + "]";
  }
}
