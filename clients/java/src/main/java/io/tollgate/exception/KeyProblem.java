package io.tollgate.exception;

/** Why a key cannot be used. */
public enum KeyProblem {
  EMPTY("it is empty. Is the environment variable or the file set?"),
  NOT_BASE64("it is neither PEM nor base64."),
  NOT_A_KEY("it is no RSA key in PKCS#8, PKCS#1 or SubjectPublicKeyInfo form, or it was cut off."),
  ENCRYPTED("it is protected by a password. Give the key without one."),
  NOT_RSA("it is a key of another algorithm. It has to be RSA."),
  PUBLIC_INSTEAD_OF_PRIVATE("this is a public key. Give the private key that you made with it."),
  PRIVATE_INSTEAD_OF_PUBLIC("this is a private key. Give the public key that the gateway showed to you."),
  WRONG_SIZE("it has too few bits, or too many.");

  private final String sentence;

  KeyProblem(String sentence) {
    this.sentence = sentence;
  }

  public String sentence() {
    return sentence;
  }
}
