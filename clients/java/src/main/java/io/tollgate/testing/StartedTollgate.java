package io.tollgate.testing;

import io.tollgate.Tollgate;
import io.tollgate.TollgateBuilder;
import io.tollgate.internal.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A gateway for tests, with its own merchant and a simulated buyer. */
public final class StartedTollgate implements AutoCloseable {
  private static final int START_TIMEOUT_SECONDS = 60;
  private static final String HANDED_DOWN = "TOLLGATE_DEV";

  /** The output of {@code tollgate dev --json}, or the same fields for an isolated test merchant. */
  final Map<String, Object> running;
  private final Runnable end;
  private final Tollgate client;

  private StartedTollgate(Map<String, Object> running, Runnable end) {
    this.running = running;
    this.end = end;
    this.client = merchantOf(running).baseUrl(baseUrl()).build();
  }

  /**
   * Starts with the command in TOLLGATE_COMMAND, or with the {@code tollgate} that is installed in the
   * project.
   */
  public static StartedTollgate start() {
    return start(System.getenv().getOrDefault("TOLLGATE_COMMAND", "npx --no tollgate"));
  }

  /**
   * Starts a complete gateway for tests. If one is running already (TOLLGATE_DEV; or TOLLGATE_BASE_URL and
   * TOLLGATE_CONTROL_SECRET, as in the .env of {@code tollgate dev}), it creates an isolated test merchant
   * there instead. A gateway that a parent process of the same run started is shared.
   */
  public static StartedTollgate start(String command) {
    return start(command, System.getenv());
  }

  static StartedTollgate start(String command, Map<String, String> variables) {
    var line = variables.getOrDefault(HANDED_DOWN, "");
    var handed = line.isEmpty() ? null : read(line);
    if (handed != null && Boolean.TRUE.equals(handed.get("isOfThisRun"))) return new StartedTollgate(handed, () -> {});
    var shared = handed != null ? handed : namedBy(variables);
    var universe = shared.isEmpty() ? Optional.<TestUniverse>empty() : TestUniverse.open(shared);
    if (universe.isPresent()) return new StartedTollgate(universe.get().running(), universe.get()::close);
    if (handed != null)
      throw new IllegalStateException(HANDED_DOWN + " names " + handed.get("baseUrl") + ", but no gateway listens there.");
    // The settings in .env do not count as a running gateway: they remain after their `tollgate dev` has
    // stopped.
    return startDev(command);
  }

  /** The sandbox in the settings that {@code tollgate dev} writes to .env; empty if they are missing. */
  private static Map<String, Object> namedBy(Map<String, String> variables) {
    var shared = new HashMap<String, Object>();
    Map.of(
            "TOLLGATE_BASE_URL", "baseUrl",
            "TOLLGATE_CONTROL_SECRET", "controlSecret",
            "TOLLGATE_WALLET_URL", "walletUrl")
        .forEach((variable, name) -> {
          var value = variables.getOrDefault(variable, "");
          if (!value.isEmpty()) shared.put(name, value);
        });
    return shared.containsKey("baseUrl") && shared.containsKey("controlSecret") ? shared : Map.of();
  }

  public String baseUrl() {
    return (String) running.get("baseUrl");
  }

  public String clientId() {
    return (String) running.get("clientId");
  }

  public Tollgate client() {
    return client;
  }

  /**
   * Environment variables for a program under test: base URL, client id and keys, as every library reads
   * them.
   */
  public Map<String, String> variables() {
    return Map.of(
        "TOLLGATE_BASE_URL", baseUrl(),
        "TOLLGATE_CLIENT_ID", clientId(),
        "TOLLGATE_KEY_VERSION", String.valueOf(running.get("keyVersion")),
        "TOLLGATE_PRIVATE_KEY_FILE", (String) running.get("merchantPrivateKeyFile"),
        "TOLLGATE_GATEWAY_PUBLIC_KEY_FILE", (String) running.get("gatewayPublicKeyFile"));
  }

  /** The buyer pays. */
  public void approve(String paymentId) {
    decide(paymentId, "approve");
  }

  /** The buyer declines to pay. */
  public void decline(String paymentId) {
    decide(paymentId, "decline");
  }

  /**
   * Stops the gateway that was started here, or deletes this run's isolated test merchant on a shared
   * gateway.
   */
  @Override
  public void close() {
    end.run();
  }

  private static TollgateBuilder merchantOf(Map<String, Object> running) {
    try {
      return Tollgate.builder()
          .clientId((String) running.get("clientId"))
          .keyVersion(((Number) running.get("keyVersion")).intValue())
          .privateKey(Files.readString(Path.of((String) running.get("merchantPrivateKeyFile"))))
          .gatewayPublicKey(Files.readString(Path.of((String) running.get("gatewayPublicKeyFile"))));
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static StartedTollgate startDev(String command) {
    try {
      var errors = Files.createTempFile("tollgate-", ".log");
      // The gateway exits when the pipe to its standard input closes, so it is not left running, however this
      // process ends.
      var process = new ProcessBuilder("sh", "-c", command + " dev --json --ephemeral --until-stdin-closes")
          .redirectError(errors.toFile())
          .start();
      var line = firstLine(process);
      if (line != null) {
        Files.delete(errors);
        return new StartedTollgate(read(line), () -> leave(process));
      }
      int code = leave(process);
      var said = Files.readString(errors).strip();
      Files.delete(errors);
      throw new IllegalStateException("Tollgate ended with " + code + " before it was ready. The command was `"
          + command + "`; is it installed? TOLLGATE_COMMAND can set another command.\n" + said);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /**
   * Reads the first line that the process prints. Returns null if the process ends before, or takes too long.
   */
  private static String firstLine(Process process) {
    var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    var line = CompletableFuture.supplyAsync(() -> {
      try {
        return output.readLine();
      } catch (IOException ended) {
        return null;
      }
    });
    return line.completeOnTimeout(null, START_TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
  }

  private static int leave(Process process) {
    try {
      process.getOutputStream().close();
      return process.waitFor();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      process.destroy();
      return -1;
    }
  }

  private static Map<String, Object> read(String line) {
    return Json.readObject(line.getBytes(StandardCharsets.UTF_8));
  }

  /** Acts as the buyer, through the sandbox provider's API for tests. */
  private void decide(String paymentId, String word) {
    var id = URLEncoder.encode(paymentId, StandardCharsets.UTF_8);
    var request = HttpRequest.newBuilder(URI.create(running.get("walletUrl") + "/control/payments/" + id + "/" + word))
        .header("authorization", "Bearer " + running.get("controlSecret"))
        .POST(HttpRequest.BodyPublishers.noBody())
        .build();
    try {
      var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
      if (answer.statusCode() == 200) return;
      throw new IllegalStateException(
          "The sandbox provider could not " + word + " payment " + paymentId + ": " + answer.body());
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting to " + word + " the payment.", interrupted);
    }
  }
}
