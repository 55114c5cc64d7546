package io.tollgate.internal.signing;

import io.tollgate.exception.InvalidKeyException;
import io.tollgate.exception.KeyProblem;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;

/** A public key of the gateway, parsed once. */
public final class GatewayKey {
  private final RSAPublicKey key;

  private GatewayKey(RSAPublicKey key) {
    this.key = key;
  }

  public static GatewayKey of(String text) {
    var read = KeyText.read(text, KeyText.Half.PUBLIC);
    try {
      return of(KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(read.spki())));
    } catch (GeneralSecurityException problem) {
      throw unusable(KeyProblem.NOT_A_KEY);
    }
  }

  public static GatewayKey of(PublicKey key) {
    if (!(key instanceof RSAPublicKey rsa)) throw unusable(KeyProblem.NOT_RSA);
    KeyText.checkSize(rsa.getModulus().bitLength(), KeyText.Half.PUBLIC);
    return new GatewayKey(rsa);
  }

  public boolean verifies(byte[] text, byte[] signature) {
    try {
      var verifier = Signature.getInstance("SHA256withRSA");
      verifier.initVerify(key);
      verifier.update(text);
      return verifier.verify(signature);
    } catch (SignatureException notOne) {
      return false;
    } catch (GeneralSecurityException problem) {
      throw new IllegalStateException("This Java cannot verify RSA signatures: " + problem.getMessage(), problem);
    }
  }

  public int signatureBytes() {
    return (key.getModulus().bitLength() + 7) / 8;
  }

  /** SubjectPublicKeyInfo. */
  public byte[] encoded() {
    return key.getEncoded();
  }

  private static InvalidKeyException unusable(KeyProblem reason) {
    return new InvalidKeyException(reason, "The gateway's public key cannot be used: " + reason.sentence());
  }
}
