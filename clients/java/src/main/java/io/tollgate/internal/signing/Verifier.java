package io.tollgate.internal.signing;

import io.tollgate.HeaderValues;
import io.tollgate.exception.SignatureProblem;
import java.time.Instant;

/** Verifies that a message is from the gateway. */
public final class Verifier {
  /** Responses and webhooks have their time in different headers. */
  public enum Kind {
    RESPONSE("response-time"),
    WEBHOOK("request-time");

    private final String timeHeader;

    Kind(String timeHeader) {
      this.timeHeader = timeHeader;
    }
  }

  public record Received(Kind kind, String method, String path, String clientId, HeaderValues headers, byte[] body) {}

  /**
   * @param replayKey the signature in base64: unique for each message
   * @param time the text of the time header
   */
  public record Verified(String replayKey, String time) {}

  private Verifier() {}

  /**
   * The order of the checks is part of the contract: presence, syntax, algorithm, key version, base64, client
   * id, signature.
   */
  public static Verified verify(Received message, GatewayKeys keys) throws UntrustedException {
    var headers = message.headers();
    var header = SignatureHeader.read(headers.of("signature"));
    var times = headers.of(message.kind().timeHeader);
    require(!times.isEmpty(), SignatureProblem.MISSING_TIME);
    var time = times.get(0);

    var key = keys.get(header.keyVersion());
    require(key != null, SignatureProblem.UNKNOWN_KEY_VERSION);
    var signature = header.decode();
    require(signature != null && signature.length == key.signatureBytes(), SignatureProblem.MALFORMED_SIGNATURE);
    var clientIds = headers.of("client-id");
    require(clientIds.isEmpty() || clientIds.get(0).equals(message.clientId()), SignatureProblem.CLIENT_MISMATCH);
    var text = SignedText.of(message.method(), message.path(), message.clientId(), time, message.body());
    require(key.verifies(text, signature), SignatureProblem.MISMATCH);
    return new Verified(Base64Text.encode(signature), time);
  }

  /** Checks the age of a message. A tolerance of zero disables the check. */
  public static void checkTime(String time, Instant now, long toleranceSeconds) throws UntrustedException {
    var at = WireTime.parse(time);
    require(at != null, SignatureProblem.BAD_TIME);
    if (toleranceSeconds == 0) return;
    long differenceMs = Math.abs(now.toEpochMilli() - at.toEpochMilli());
    require(differenceMs <= toleranceSeconds * 1000, SignatureProblem.STALE);
  }

  private static void require(boolean isFulfilled, SignatureProblem otherwise) throws UntrustedException {
    if (!isFulfilled) throw new UntrustedException(otherwise);
  }
}
