package io.tollgate.testing;

import io.tollgate.HeaderValues;
import io.tollgate.TransportRequest;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.signing.GatewayKey;
import io.tollgate.internal.signing.GatewayKeys;
import io.tollgate.internal.signing.UntrustedException;
import io.tollgate.internal.signing.Verifier;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Verifies requests like the gateway. */
public final class RequestVerifier {
  private RequestVerifier() {}

  /**
   * Verifies that the owner of this key signed the request, and returns its body.
   *
   * @throws AssertionError if the signature is invalid
   */
  public static Map<String, Object> verifyRequest(TransportRequest request, String publicKey) {
    Map<String, List<String>> headers = request.headers().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, header -> List.of(header.getValue())));
    var url = request.url();
    var path = url.getRawQuery() == null ? url.getRawPath() : url.getRawPath() + "?" + url.getRawQuery();
    var message = new Verifier.Received(Verifier.Kind.WEBHOOK, request.method(), path,
        request.headers().get("client-id"), HeaderValues.in(headers), request.body());
    try {
      Verifier.verify(message, GatewayKeys.one(GatewayKey.of(publicKey)));
      return Json.readObject(request.body());
    } catch (UntrustedException untrusted) {
      throw new AssertionError("The request is not signed by this key: " + untrusted.reason().likelyCause());
    }
  }
}
