package io.tollgate;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.internal.EnvironmentKey;
import io.tollgate.internal.EnvironmentLogger;
import io.tollgate.internal.Version;
import io.tollgate.internal.call.RequestHeaders;
import io.tollgate.internal.call.Settings;
import io.tollgate.internal.signing.GatewayKey;
import io.tollgate.internal.signing.GatewayKeys;
import io.tollgate.internal.signing.Signer;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Builds a client. Missing settings are read from the environment variables that the methods name. */
public final class TollgateBuilder {
  private UnaryOperator<String> environmentVariables = System::getenv;
  private String clientId;
  private Signer signer;
  private GatewayKey gatewayKey;
  private final Map<Integer, GatewayKey> gatewayKeys = new LinkedHashMap<>();
  private String baseUrl;
  private Integer keyVersion;
  private String environment;
  private Duration timeout = Duration.ofSeconds(30);
  private int maxRetries = 2;
  private Transport transport;
  private Logger logger;
  private Observer observer;
  private Clock clock = Clock.system();
  private String agentToken;
  private String appInfo;
  private boolean allowInsecure;
  private boolean allowUnsignedRefusals = true;
  private Duration webhookTolerance = Duration.ofSeconds(300);

  TollgateBuilder() {}

  /** TOLLGATE_CLIENT_ID */
  public TollgateBuilder clientId(String clientId) {
    this.clientId = clientId;
    return this;
  }

  /**
   * Your private key: PEM or bare base64, PKCS#8 or PKCS#1. Environment variable: TOLLGATE_PRIVATE_KEY, or
   * TOLLGATE_PRIVATE_KEY_FILE for a file
   */
  public TollgateBuilder privateKey(String text) {
    this.signer = Signer.of(text);
    return this;
  }

  /** Your private key, if it is in a key store or a hardware module. */
  public TollgateBuilder privateKey(PrivateKey key) {
    this.signer = Signer.of(key);
    return this;
  }

  /**
   * The gateway's public key for all key versions: PEM or bare base64. Environment variable:
   * TOLLGATE_GATEWAY_PUBLIC_KEY, or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE for a file
   */
  public TollgateBuilder gatewayPublicKey(String text) {
    this.gatewayKey = GatewayKey.of(text);
    return this;
  }

  public TollgateBuilder gatewayPublicKey(PublicKey key) {
    this.gatewayKey = GatewayKey.of(key);
    return this;
  }

  /** The gateway's public keys by key version: set the old and the new key during a key rotation. */
  public TollgateBuilder gatewayPublicKeys(Map<Integer, String> keys) {
    keys.forEach((version, text) -> gatewayKeys.put(version, GatewayKey.of(text)));
    return this;
  }

  /** Scheme and host, such as {@code https://gateway.example}. Environment variable: TOLLGATE_BASE_URL */
  public TollgateBuilder baseUrl(String baseUrl) {
    this.baseUrl = baseUrl;
    return this;
  }

  /** The version of your own key (default 1). Environment variable: TOLLGATE_KEY_VERSION */
  public TollgateBuilder keyVersion(int keyVersion) {
    this.keyVersion = keyVersion;
    return this;
  }

  /**
   * {@code sandbox} or {@code live}. The default is sandbox if the client id starts with {@code SANDBOX_}.
   * Environment variable: TOLLGATE_ENVIRONMENT
   */
  public TollgateBuilder environment(String environment) {
    this.environment = environment;
    return this;
  }

  /** For each attempt (default 30 s). */
  public TollgateBuilder timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** Maximum number of retries (default 2). */
  public TollgateBuilder maxRetries(int maxRetries) {
    this.maxRetries = maxRetries;
    return this;
  }

  /** Sends the bytes (default {@link java.net.http.HttpClient}). */
  public TollgateBuilder transport(Transport transport) {
    this.transport = transport;
    return this;
  }

  /**
   * Receives log entries, without secrets. Without a logger, TOLLGATE_LOG=debug (info, warn) writes them to
   * standard error.
   */
  public TollgateBuilder logger(Logger logger) {
    this.logger = logger;
    return this;
  }

  /** Called at the start and at the end of each API call, for traces and metrics. */
  public TollgateBuilder observer(Observer observer) {
    this.observer = observer;
    return this;
  }

  public TollgateBuilder clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  public TollgateBuilder agentToken(String agentToken) {
    this.agentToken = agentToken;
    return this;
  }

  /** The application or plugin that uses this library; appended to {@code User-Agent}. */
  public TollgateBuilder appInfo(String name, String version) {
    this.appInfo = name + "/" + version;
    return this;
  }

  /** Allows {@code http://} for addresses other than loopback. */
  public TollgateBuilder allowInsecure(boolean allowInsecure) {
    this.allowInsecure = allowInsecure;
    return this;
  }

  /**
   * Accepts unsigned rejections, which the gateway may send before it authenticates the client. With `false`
   * they are signature errors.
   */
  public TollgateBuilder allowUnsignedRefusals(boolean allowUnsignedRefusals) {
    this.allowUnsignedRefusals = allowUnsignedRefusals;
    return this;
  }

  /** Maximum age of a webhook (default 300 s); zero accepts any age. */
  public TollgateBuilder webhookTolerance(Duration webhookTolerance) {
    this.webhookTolerance = webhookTolerance;
    return this;
  }

  /**
   * The source of the variables TOLLGATE_… instead of the environment: a map of a {@code .env} file, or
   * {@code environment::getProperty} of Spring.
   */
  public TollgateBuilder environmentVariables(UnaryOperator<String> environmentVariables) {
    this.environmentVariables = environmentVariables;
    return this;
  }

  /** Builds the client. Sends no request. */
  public Tollgate build() {
    var id = clientId();
    check(timeout.compareTo(Duration.ZERO) > 0, "The timeout must be greater than 0.");
    check(maxRetries >= 0, "maxRetries must not be less than 0.");
    var own = signer != null ? signer : keyOf("privateKey", "PRIVATE_KEY", (String text) -> Signer.of(text));
    var settings = new Settings(
        id, own, keyVersion(), gatewayKeys(), baseUrl(), isSandbox(id), timeout, maxRetries,
        transport != null ? transport : HttpTransport.standard(),
        logger != null ? logger : EnvironmentLogger.of(environmentVariable("LOG")), observer, clock, () -> ThreadLocalRandom.current().nextDouble(), headers(), allowUnsignedRefusals);
    warnOfOwnKey(settings);
    return new Tollgate(settings, webhookToleranceSeconds());
  }

  /**
   * Builds only a webhook receiver, which needs a client id and the gateway's public keys, but no private key
   * and no base URL.
   */
  public Webhooks buildWebhooks() {
    return new Webhooks(clientId(), gatewayKeys(), clock, webhookToleranceSeconds());
  }

  private String clientId() {
    var id = required("clientId", clientId, "CLIENT_ID");
    check(id.matches("[\\x21-\\x7e]{1,64}"), "A client id must have 1 to 64 visible ASCII characters.");
    return id;
  }

  private long webhookToleranceSeconds() {
    check(!webhookTolerance.isNegative(), "webhookTolerance must not be less than 0.");
    return webhookTolerance.toSeconds();
  }

  private int keyVersion() {
    var text = environmentVariable("KEY_VERSION");
    if (keyVersion == null && text == null) return 1;
    check(keyVersion != null || text.matches("[0-9]{1,9}"), "TOLLGATE_KEY_VERSION has to be a number.");
    int version = keyVersion != null ? keyVersion : Integer.parseInt(text);
    check(version >= 1, "The key version must be 1 or more.");
    return version;
  }

  private GatewayKeys gatewayKeys() {
    if (!gatewayKeys.isEmpty()) return GatewayKeys.byVersion(gatewayKeys);
    if (gatewayKey != null) return GatewayKeys.one(gatewayKey);
    return GatewayKeys.one(keyOf("gatewayPublicKey", "GATEWAY_PUBLIC_KEY", (String text) -> GatewayKey.of(text)));
  }

  private String baseUrl() {
    var text = required("baseUrl", baseUrl, "BASE_URL");
    var url = parsed(text);
    check(url != null && url.getHost() != null && ("https".equals(url.getScheme()) || "http".equals(url.getScheme())),
        "The base URL must be like https://gateway.example, but it is " + text + ".");
    boolean isBare = url.getPath().matches("/*") && url.getQuery() == null && url.getUserInfo() == null;
    check(isBare, "The base URL must have only a scheme and a host, because paths are signed.");
    boolean isLoopback = url.getHost().matches("localhost|127(?:\\.[0-9]+){3}|\\[::1\\]");
    check(url.getScheme().equals("https") || isLoopback || allowInsecure,
        "The base URL must start with https://. Only loopback may use http://.");
    return url.getScheme() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort());
  }

  private static URI parsed(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException problem) {
      return null;
    }
  }

  private boolean isSandbox(String id) {
    var chosen = environment != null ? environment : environmentVariable("ENVIRONMENT");
    if (chosen == null) return id.startsWith("SANDBOX_");
    check(chosen.equals("sandbox") || chosen.equals("live"),
        "The environment must be sandbox or live, not " + chosen + ".");
    return chosen.equals("sandbox");
  }

  private Map<String, String> headers() {
    var agent = "tollgate-java/" + Version.TEXT + " (java " + System.getProperty("java.version") + ")";
    var own = new LinkedHashMap<String, String>();
    own.put("user-agent", appInfo == null ? agent : agent + " " + appInfo);
    if (agentToken != null) own.put("agent-token", agentToken);
    var headers = RequestHeaders.checked(own);
    headers.put("content-type", "application/json; charset=UTF-8");
    return headers;
  }

  /**
   * Passing one's own public key as the gateway's key is the most common mistake, and the responses alone do
   * not reveal it.
   */
  private static void warnOfOwnKey(Settings settings) {
    var own = settings.signer().publicHalf();
    if (own == null) return;
    if (settings.gatewayKeys().all().stream().anyMatch(key -> Arrays.equals(key.encoded(), own))) {
      settings.log(new LogEntry.Warning(
          "The configured key of the gateway is your own public key, so verification will fail. Use the public key "
              + "that the gateway showed you at registration."));
    }
  }

  private String required(String option, String value, String variable) {
    var found = value != null ? value : environmentVariable(variable);
    check(found != null, "There is no " + option + ": set it, or TOLLGATE_" + variable + ".");
    return found;
  }

  private <K> K keyOf(String option, String variable, Function<String, K> read) {
    var name = "TOLLGATE_" + variable;
    var key = EnvironmentKey.read(name, read, environmentVariables);
    check(key != null, "There is no " + option + ": set it, or " + name + ", or " + name + "_FILE.");
    return key;
  }

  private String environmentVariable(String name) {
    var value = environmentVariables.apply("TOLLGATE_" + name);
    return value == null || value.isEmpty() ? null : value;
  }

  private static void check(boolean isFulfilled, String otherwise) {
    if (!isFulfilled) throw new ConfigurationException(otherwise);
  }
}
