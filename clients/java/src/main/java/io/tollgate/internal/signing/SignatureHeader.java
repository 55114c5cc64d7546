package io.tollgate.internal.signing;

import io.tollgate.exception.SignatureProblem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of a {@code signature} header.
 *
 * @param signature as percent-encoded base64, which is decoded when the key is known
 */
public record SignatureHeader(int keyVersion, String signature) {
  private static final Pattern VERSION = Pattern.compile("[0-9]{1,9}");
  private static final Pattern ENCODED = Pattern.compile("(?:[A-Za-z0-9+/_=-]|%[0-9A-Fa-f]{2})+");
  private static final Pattern PERCENT = Pattern.compile("%([0-9A-Fa-f]{2})");

  /** Writes the header in a fixed order and without blanks, because some parsers depend on the position. */
  public static String write(int keyVersion, byte[] signature) {
    return "algorithm=RSA256,keyVersion=" + keyVersion + ",signature="
        + URLEncoder.encode(Base64Text.encode(signature), StandardCharsets.US_ASCII);
  }

  /** Parses the header. It accepts parameters in any order, names in any case, with or without blanks. */
  public static SignatureHeader read(List<String> values) throws UntrustedException {
    if (values.isEmpty() || values.get(0).isBlank()) throw new UntrustedException(SignatureProblem.MISSING_SIGNATURE);
    if (values.size() > 1) throw malformed();
    var parameters = new HashMap<String, String>();
    for (var item : values.get(0).split(",", -1)) {
      int equals = item.indexOf('=');
      var name = item.substring(0, Math.max(equals, 0)).strip().toLowerCase(Locale.ROOT);
      if (name.isEmpty() || parameters.put(name, item.substring(equals + 1).strip()) != null) throw malformed();
    }
    var signature = parameters.getOrDefault("signature", "");
    var algorithm = parameters.get("algorithm");
    var version = parameters.getOrDefault("keyversion", "1");
    if (signature.isEmpty() || algorithm == null || !VERSION.matcher(version).matches()) throw malformed();
    if (!algorithm.equals("RSA256")) throw new UntrustedException(SignatureProblem.UNSUPPORTED_ALGORITHM);
    return new SignatureHeader(Integer.parseInt(version), signature);
  }

  /**
   * Decodes the signature; null if it is invalid. Accepts both base64 alphabets, with or without
   * percent-encoding and padding.
   */
  public byte[] decode() {
    if (!ENCODED.matcher(signature).matches()) return null;
    var base64 = PERCENT.matcher(signature).replaceAll(
        match -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(match.group(1), 16))));
    var bare = base64.replaceFirst("={1,2}$", "").replace('-', '+').replace('_', '/');
    return Base64Text.decode(bare + "=".repeat((4 - bare.length() % 4) % 4));
  }

  private static UntrustedException malformed() {
    return new UntrustedException(SignatureProblem.MALFORMED_SIGNATURE);
  }
}
