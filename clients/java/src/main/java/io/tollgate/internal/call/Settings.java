package io.tollgate.internal.call;

import io.tollgate.Clock;
import io.tollgate.LogEntry;
import io.tollgate.Logger;
import io.tollgate.Observer;
import io.tollgate.Transport;
import io.tollgate.internal.signing.GatewayKeys;
import io.tollgate.internal.signing.Signer;
import java.time.Duration;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * A client's settings, validated and complete.
 *
 * @param baseUrl scheme and host, without a slash at the end
 * @param headers headers of every request
 * @param random from 0 to less than 1
 */
public record Settings(
    String clientId,
    Signer signer,
    int keyVersion,
    GatewayKeys gatewayKeys,
    String baseUrl,
    boolean isSandbox,
    Duration timeout,
    int maxRetries,
    Transport transport,
    Logger logger,
    Observer observer,
    Clock clock,
    DoubleSupplier random,
    Map<String, String> headers,
    boolean allowUnsignedRefusals) {

  /** A logger that throws must not make a payment fail. */
  public void log(LogEntry entry) {
    try {
      logger.log(entry);
    } catch (RuntimeException problem) {
      // The error is ignored, because it cannot be reported anywhere.
    }
  }

  public String pathOf(String operation) {
    return "/ams/" + (isSandbox ? "sandbox/" : "") + "api/v1/" + operation;
  }
}
