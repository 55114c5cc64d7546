package io.tollgate.internal.signing;

import io.tollgate.exception.InvalidKeyException;
import io.tollgate.exception.KeyProblem;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.RSAKey;
import java.security.spec.PKCS8EncodedKeySpec;

/** Signs with a private key, which is parsed once. */
public final class Signer {
  private final PrivateKey key;
  private final byte[] publicHalf;

  private Signer(PrivateKey key, byte[] publicHalf) {
    this.key = key;
    this.publicHalf = publicHalf;
  }

  public static Signer of(String text) {
    var read = KeyText.read(text, KeyText.Half.PRIVATE);
    try {
      var key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(read.pkcs8()));
      return new Signer(key, read.spki());
    } catch (GeneralSecurityException problem) {
      throw new InvalidKeyException(KeyProblem.NOT_A_KEY,
          "The private key cannot be used: " + KeyProblem.NOT_A_KEY.sentence());
    }
  }

  /** @param key a key without text, for example in a hardware module */
  public static Signer of(PrivateKey key) {
    if (key instanceof RSAKey rsa) KeyText.checkSize(rsa.getModulus().bitLength(), KeyText.Half.PRIVATE);
    return new Signer(key, null);
  }

  public byte[] sign(byte[] text) {
    try {
      var signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key);
      signature.update(text);
      return signature.sign();
    } catch (GeneralSecurityException problem) {
      throw new IllegalStateException("The private key does not sign: " + problem.getMessage(), problem);
    }
  }

  /** SubjectPublicKeyInfo of the public key, or null if the key's text is not known. */
  public byte[] publicHalf() {
    return publicHalf;
  }
}
