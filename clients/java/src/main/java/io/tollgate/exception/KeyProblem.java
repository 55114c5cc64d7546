package io.tollgate.exception;

/** The reason why a key is invalid. */
public enum KeyProblem {
  EMPTY("it is empty. Is the environment variable or the file set?"),
  NOT_BASE64("it is neither PEM nor base64."),
  NOT_A_KEY("it is not an RSA key in PKCS#8, PKCS#1 or SubjectPublicKeyInfo format, or it is truncated."),
  ENCRYPTED("it is protected by a password. Provide the key without a password."),
  NOT_RSA("it is for another algorithm. It must be an RSA key."),
  PUBLIC_INSTEAD_OF_PRIVATE("this is a public key. Provide the private key of the same pair."),
  PRIVATE_INSTEAD_OF_PUBLIC("this is a private key. Provide the gateway's public key."),
  WRONG_SIZE("it has too few bits, or too many.");

  private final String sentence;

  KeyProblem(String sentence) {
    this.sentence = sentence;
  }

  public String sentence() {
    return sentence;
  }
}
