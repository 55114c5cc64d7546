package io.tollgate;

import io.tollgate.internal.call.Caller;
import io.tollgate.internal.call.Operation;
import io.tollgate.internal.call.RawCodec;
import io.tollgate.internal.call.Settings;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A client of the gateway. Its operations are grouped by area as in the API: {@code
 * client.payments().pay(…)}. It is immutable and thread-safe, and need not be closed: create one and reuse
 * it.
 */
public final class Tollgate extends Areas {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Caller caller;
  private final Payments payments;
  private final Feed tollgate;
  private final Webhooks webhooks;

  Tollgate(Settings settings, long webhookToleranceSeconds) {
    this(new Caller(settings), settings, webhookToleranceSeconds);
  }

  private Tollgate(Caller caller, Settings settings, long webhookToleranceSeconds) {
    super(caller);
    this.caller = caller;
    this.payments = new Payments(caller, settings.clock());
    this.tollgate = new Feed(caller, settings);
    this.webhooks =
        new Webhooks(settings.clientId(), settings.gatewayKeys(), settings.clock(), webhookToleranceSeconds);
  }

  /** Missing settings are read from environment variables: TOLLGATE_CLIENT_ID and so on. */
  public static TollgateBuilder builder() {
    return new TollgateBuilder();
  }

  /** A client with all settings from environment variables. */
  public static Tollgate fromEnvironment() {
    return builder().build();
  }

  @Override
  public Payments payments() {
    return payments;
  }

  @Override
  public Feed tollgate() {
    return tollgate;
  }

  /** Receives webhooks. */
  public Webhooks webhooks() {
    return webhooks;
  }

  /**
   * Calls any operation by its path, such as {@code payments/pay}. An operation that the library does not
   * know is never retried.
   */
  public RawAnswer request(String operation, Map<String, Object> body, CallOptions options) {
    return caller.call(raw(operation), body, options);
  }

  public RawAnswer request(String operation, Map<String, Object> body) {
    return request(operation, body, CallOptions.DEFAULT);
  }

  /** Like {@link #request}, without blocking this thread. */
  public CompletableFuture<RawAnswer> requestAsync(String operation, Map<String, Object> body, CallOptions options) {
    return caller.callAsync(raw(operation), body, options);
  }

  private static Operation<Map<String, Object>, RawAnswer> raw(String path) {
    var known = Areas.factsOf(path);
    boolean isRepeatable = known != null && known.isRepeatable();
    var idempotencyField = known == null ? null : known.idempotencyField();
    return new Operation<>(path, isRepeatable, idempotencyField, RawCodec.REQUEST, RawCodec.ANSWER);
  }

  /**
   * Creates an id for a request. Store it with the order before the call, because a retry must use the same
   * id.
   *
   * @param prefix for people, such as the order number
   */
  public static String newRequestId(String prefix) {
    if (!prefix.matches("[\\x21-\\x7e]{1,30}")) {
      throw new IllegalArgumentException("A prefix must have 1 to 30 visible ASCII characters.");
    }
    var random = new byte[16];
    RANDOM.nextBytes(random);
    return prefix + "-" + HexFormat.of().formatHex(random);
  }

  public static String newRequestId() {
    return newRequestId("r");
  }
}
