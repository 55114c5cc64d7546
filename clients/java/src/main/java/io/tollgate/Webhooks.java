package io.tollgate;

import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.internal.signing.GatewayKeys;
import io.tollgate.internal.signing.SignatureHeader;
import io.tollgate.internal.signing.SignedText;
import io.tollgate.internal.signing.Signer;
import io.tollgate.internal.signing.UntrustedException;
import io.tollgate.internal.signing.Verifier;
import io.tollgate.internal.signing.WireTime;
import java.util.LinkedHashMap;
import java.util.Map;

/** Receives webhooks. A client has one; {@link #of(String, String)} creates one that needs no private key. */
public final class Webhooks {
  private static final String ACK =
      "{\"result\":{\"resultCode\":\"SUCCESS\",\"resultStatus\":\"S\",\"resultMessage\":\"success\"}}";

  private final String clientId;
  private final GatewayKeys gatewayKeys;
  private final Clock clock;
  private final long toleranceSeconds;

  Webhooks(String clientId, GatewayKeys gatewayKeys, Clock clock, long toleranceSeconds) {
    this.clientId = clientId;
    this.gatewayKeys = gatewayKeys;
    this.clock = clock;
    this.toleranceSeconds = toleranceSeconds;
  }

  /**
   * Creates a receiver for a service that only receives webhooks. The service has only public keys, so an
   * attacker who reads them cannot pay or refund. {@link TollgateBuilder#buildWebhooks()} has more settings.
   *
   * @param gatewayPublicKey the gateway's public key for all key versions: PEM or bare base64
   */
  public static Webhooks of(String clientId, String gatewayPublicKey) {
    return Tollgate.builder().clientId(clientId).gatewayPublicKey(gatewayPublicKey).buildWebhooks();
  }

  /**
   * Like {@link #of(String, String)}, during a rotation of the gateway's key.
   *
   * @param gatewayPublicKeys the gateway's public keys, by key version
   */
  public static Webhooks of(String clientId, Map<Integer, String> gatewayPublicKeys) {
    return Tollgate.builder().clientId(clientId).gatewayPublicKeys(gatewayPublicKeys).buildWebhooks();
  }

  /**
   * Like {@link #of(String, String)}, with TOLLGATE_CLIENT_ID and TOLLGATE_GATEWAY_PUBLIC_KEY or …_KEY_FILE.
   */
  public static Webhooks fromEnvironment() {
    return Tollgate.builder().buildWebhooks();
  }

  /** Verifies a webhook, and only then parses it. */
  public Notification construct(Incoming incoming) {
    var message = new Verifier.Received(Verifier.Kind.WEBHOOK, incoming.method(), incoming.path(), clientId,
        incoming.headers(), incoming.body());
    try {
      var verified = Verifier.verify(message, gatewayKeys);
      Verifier.checkTime(verified.time(), clock.now(), toleranceSeconds);
      var told = ToldParts.read(incoming.body());
      return new Notification(
          told.kind(), told.body(), told.subject(), told.sequence(), verified.replayKey(), verified.time());
    } catch (UntrustedException untrusted) {
      throw new SignatureVerificationException(untrusted.reason(), CallFacts.NONE);
    }
  }

  /** The exact body that acknowledges a webhook. Send it with HTTP 200 and as JSON. */
  public String ack() {
    return ACK;
  }

  /**
   * The headers that the gateway would send with this body, for tests of an endpoint.
   *
   * @param gatewayPrivateKey the private key of a test, see {@link io.tollgate.testing.TestKeys}
   */
  public Map<String, String> sign(String path, byte[] body, String gatewayPrivateKey, int keyVersion) {
    var time = WireTime.write(clock.now());
    var signature = Signer.of(gatewayPrivateKey).sign(SignedText.of("POST", path, clientId, time, body));
    var headers = new LinkedHashMap<String, String>();
    headers.put("content-type", "application/json; charset=UTF-8");
    headers.put("client-id", clientId);
    headers.put("request-time", time);
    headers.put("signature", SignatureHeader.write(keyVersion, signature));
    return headers;
  }
}
