package io.tollgate.internal.call;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.internal.signing.SignatureHeader;
import io.tollgate.internal.signing.SignedText;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The headers of a request. */
public final class RequestHeaders {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9-]+");
  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]*");
  private static final Set<String> OWN = Set.of(
      "client-id", "request-time", "signature", "content-type", "content-length", "host",
      // Java's HTTP client rejects these headers.
      "connection", "expect", "upgrade");

  private RequestHeaders() {}

  /** Returns names in lower case. Rejects values with line breaks: header injection. */
  public static Map<String, String> checked(Map<String, String> headers) {
    var checked = new LinkedHashMap<String, String>();
    headers.forEach((name, value) -> {
      if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
        throw new ConfigurationException("The header \"" + name + "\" has invalid characters.");
      }
      var lower = name.toLowerCase(Locale.ROOT);
      if (OWN.contains(lower)) throw new ConfigurationException("The header " + name + " is set by the library.");
      checked.put(lower, value);
    });
    return checked;
  }

  /** Creates the signed headers of one attempt: each attempt has a new time, and so a new signature. */
  static Map<String, String> signed(Settings settings, Map<String, String> headers, String path, byte[] body) {
    var time = String.valueOf(settings.clock().now().toEpochMilli());
    var text = SignedText.of("POST", path, settings.clientId(), time, body);
    var all = new LinkedHashMap<>(headers);
    all.put("client-id", settings.clientId());
    all.put("request-time", time);
    all.put("signature", SignatureHeader.write(settings.keyVersion(), settings.signer().sign(text)));
    return all;
  }
}
