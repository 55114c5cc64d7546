package io.tollgate.internal.signing;

import io.tollgate.exception.InvalidKeyException;
import io.tollgate.exception.KeyProblem;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Reads keys in the usual formats: PEM or bare base64, PKCS#8, PKCS#1 or SubjectPublicKeyInfo. */
final class KeyText {
  private static final int BITS_MIN = 2048;
  private static final int BITS_MAX = 4096;
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN [A-Z0-9 ]+-----(.*?)-----END [A-Z0-9 ]+-----", Pattern.DOTALL);

  /** 1.2.840.113549.1.1.1 */
  private static final byte[] RSA_ENCRYPTION = {0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1};
  private static final byte[] ALGORITHM_OF_RSA =
      Der.write(Der.SEQUENCE, Der.write(Der.OBJECT_IDENTIFIER, RSA_ENCRYPTION), Der.write(Der.NULL));

  enum Half { PRIVATE, PUBLIC }

  /** An RSA key in formats that Java can import. {@code pkcs8} is null for a public key. */
  record RsaKey(int bits, byte[] spki, byte[] pkcs8) {
    Half half() {
      return pkcs8 == null ? Half.PUBLIC : Half.PRIVATE;
    }
  }

  private final Half wanted;

  private KeyText(Half wanted) {
    this.wanted = wanted;
  }

  /** The bytes determine the format, not the PEM label. */
  static RsaKey read(String text, Half wanted) {
    var reading = new KeyText(wanted);
    var key = reading.keyIn(reading.derIn(text));
    if (key.half() != wanted) {
      throw reading.problem(
          wanted == Half.PRIVATE ? KeyProblem.PUBLIC_INSTEAD_OF_PRIVATE : KeyProblem.PRIVATE_INSTEAD_OF_PUBLIC);
    }
    checkSize(key.bits(), wanted);
    return key;
  }

  static void checkSize(int bits, Half half) {
    if (bits >= BITS_MIN && bits <= BITS_MAX) return;
    throw new InvalidKeyException(KeyProblem.WRONG_SIZE, nameOf(half) + " cannot be used: it has " + bits
        + " bits. It must have " + BITS_MIN + " to " + BITS_MAX + ".");
  }

  private byte[] derIn(String text) {
    var plain = text.replace("\\r", "\n").replace("\\n", "\n").replaceFirst("^\uFEFF", "").strip()
        .replaceAll("^[\"']|[\"']$", "");
    if (plain.isBlank()) throw problem(KeyProblem.EMPTY);
    if (plain.contains("ENCRYPTED")) throw problem(KeyProblem.ENCRYPTED);
    var armoured = PEM.matcher(plain);
    var base64 = (armoured.find() ? armoured.group(1) : plain).replaceAll("\\s", "");
    var der = Base64Text.decode(base64);
    if (der == null || der.length == 0) throw problem(KeyProblem.NOT_BASE64);
    return der;
  }

  private RsaKey keyIn(byte[] der) {
    var parts = Der.readSequence(der);
    if (parts == null) throw problem(KeyProblem.NOT_A_KEY);
    int[] tags = parts.stream().mapToInt(Der.Element::tag).limit(3).toArray();
    if (startsWith(tags, Der.INTEGER, Der.INTEGER)) return pkcs1In(der, parts);
    if (startsWith(tags, Der.INTEGER, Der.SEQUENCE, Der.OCTET_STRING)) {
      return wrappedIn(parts.get(1), parts.get(2).content());
    }
    if (startsWith(tags, Der.SEQUENCE, Der.BIT_STRING)) {
      var bits = parts.get(1).content();
      return wrappedIn(parts.get(0), Arrays.copyOfRange(bits, Math.min(1, bits.length), bits.length));
    }
    if (startsWith(tags, Der.SEQUENCE, Der.OCTET_STRING)) throw problem(KeyProblem.ENCRYPTED);
    throw problem(startsWith(tags, Der.INTEGER, Der.OCTET_STRING) ? KeyProblem.NOT_RSA : KeyProblem.NOT_A_KEY);
  }

  /** Reads PKCS#8 and SubjectPublicKeyInfo: an algorithm identifier, then PKCS#1 in a string. */
  private RsaKey wrappedIn(Der.Element algorithm, byte[] inside) {
    var names = Der.readElements(algorithm.content());
    if (names == null || names.isEmpty() || !Arrays.equals(names.get(0).content(), RSA_ENCRYPTION)) {
      throw problem(KeyProblem.NOT_RSA);
    }
    var parts = Der.readSequence(inside);
    if (parts == null) throw problem(KeyProblem.NOT_A_KEY);
    return pkcs1In(inside, parts);
  }

  /** Reads PKCS#1: two integers are a public key; a version and eight integers are a private key. */
  private RsaKey pkcs1In(byte[] pkcs1, List<Der.Element> parts) {
    boolean isPrivate = parts.size() >= 9;
    if (!isPrivate && parts.size() != 2) throw problem(KeyProblem.NOT_A_KEY);
    var modulus = parts.get(isPrivate ? 1 : 0).content();
    var exponent = parts.get(isPrivate ? 2 : 1).content();
    var numbers = Der.write(Der.SEQUENCE, Der.write(Der.INTEGER, modulus), Der.write(Der.INTEGER, exponent));
    var spki = Der.write(Der.SEQUENCE, ALGORITHM_OF_RSA, Der.write(Der.BIT_STRING, new byte[1], numbers));
    var pkcs8 = Der.write(Der.SEQUENCE, Der.write(Der.INTEGER, new byte[1]), ALGORITHM_OF_RSA,
        Der.write(Der.OCTET_STRING, pkcs1));
    int bits = modulus.length == 0 ? 0 : new BigInteger(1, modulus).bitLength();
    return new RsaKey(bits, spki, isPrivate ? pkcs8 : null);
  }

  private static boolean startsWith(int[] tags, int... expected) {
    return tags.length >= expected.length && Arrays.equals(Arrays.copyOf(tags, expected.length), expected);
  }

  private InvalidKeyException problem(KeyProblem reason) {
    return new InvalidKeyException(reason, nameOf(wanted) + " cannot be used: " + reason.sentence());
  }

  private static String nameOf(Half half) {
    return half == Half.PRIVATE ? "The private key" : "The gateway's public key";
  }
}
