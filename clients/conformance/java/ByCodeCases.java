package io.tollgate.conformance;

import static io.tollgate.conformance.Report.difference;
import static io.tollgate.conformance.Vectors.fields;
import static io.tollgate.conformance.Vectors.text;

import io.tollgate.ByCodeOptions;
import io.tollgate.Clock;
import io.tollgate.CodeResult;
import io.tollgate.OpenCode;
import io.tollgate.Payments;
import io.tollgate.TillResult;
import io.tollgate.TillState;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.signing.WireTime;
import io.tollgate.model.Amount;
import io.tollgate.model.PayRequest;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Payments at a point of sale, over a real connection to the scripted gateway. */
final class ByCodeCases {
  private static final Map<String, Object> REQUESTS = fields(Vectors.read("by-code").get("requests"));

  private final HttpCases http;

  ByCodeCases(HttpCases http) {
    this.http = http;
  }

  /** A clock whose `sleep` returns at once and advances the clock by the requested duration. */
  private static final class JumpingClock implements Clock {
    private final List<Duration> slept = new ArrayList<>();

    @Override
    public synchronized Instant now() {
      return Instant.now().plus(slept.stream().reduce(Duration.ZERO, Duration::plus));
    }

    @Override
    public synchronized CompletableFuture<Void> sleep(Duration duration) {
      slept.add(duration);
      return CompletableFuture.completedFuture(null);
    }

    synchronized List<Double> sleptSeconds() {
      return slept.stream().map(each -> each.toMillis() / 1000.0).toList();
    }
  }

  String run(Map<String, Object> each) throws Exception {
    var run = "java/" + each.get("id") + "/" + UUID.randomUUID();
    var clock = new JumpingClock();
    var states = new ArrayList<String>();
    var options = optionsOf(each, states);
    var payments = http.builderOf(Map.of()).clock(clock).build().payments();
    var first = call(payments, text(each, "call"), run, options);
    var openedAt = clock.now();
    boolean isFinished = Boolean.TRUE.equals(each.get("finish"));
    CodeResult last = first instanceof OpenCode code && isFinished ? payments.finishByCode(code, options) : first;
    var expect = fields(each.get("expect"));
    var found = new HashMap<>(http.seen(run));
    found.put("open", first instanceof OpenCode code ? named(openFacts(code, openedAt), expect.get("open")) : null);
    found.put("result", last instanceof TillResult ? named(factsOf(last), expect.get("result")) : null);
    var facts = factsOf(last);
    found.put("absent", absent(expect).stream().filter(name -> facts.get(name) == null).toList());
    found.put("ids", List.of(first.paymentRequestId(), last.paymentRequestId()));
    found.put("states", states);
    found.put("sleptSeconds", expect.containsKey("sleptSeconds") ? clock.sleptSeconds() : null);
    var wanted = new HashMap<>(expect);
    wanted.putIfAbsent("open", null);
    wanted.putIfAbsent("result", null);
    wanted.put("absent", absent(expect));
    wanted.put("ids", List.of(run, run));
    wanted.put("problems", List.of());
    wanted.put("sleptSeconds", numbers(expect.get("sleptSeconds")));
    return difference(found, wanted);
  }

  private static CodeResult call(Payments payments, String call, String run, ByCodeOptions options) {
    if (call.equals("finishByCode")) return payments.finishByCode(run, options);
    var fields = new HashMap<>(fields(REQUESTS.get(call)));
    fields.put("paymentRequestId", run);
    var request = PayRequest.fromJson(new String(Json.writeBytes(fields), StandardCharsets.UTF_8));
    return switch (call) {
      case "payByCode" -> payments.payByCode(request, options);
      case "showOrderCode" -> payments.showOrderCode(request, options);
      case "openEntryCode" -> payments.openEntryCode(request, options);
      default -> throw new IllegalArgumentException("Unknown call " + call + ".");
    };
  }

  private static ByCodeOptions optionsOf(Map<String, Object> each, List<String> states) {
    var stop = new CompletableFuture<Void>();
    var options = ByCodeOptions.DEFAULT.withStop(stop).withOnState(state -> {
      var word = wordOf(state);
      if (states.isEmpty() || !states.get(states.size() - 1).equals(word)) states.add(word);
      if (word.equals(each.get("stopAt"))) stop.complete(null);
    });
    for (var option : fields(each.get("options")).entrySet()) {
      var value = option.getValue();
      options = switch (option.getKey()) {
        case "inquireAfterSeconds" -> options.withInquireAfter(durations(value));
        case "cancelAfterSeconds" -> options.withCancelAfter(durations(value));
        case "timeoutMs" -> options.withTimeout(Duration.ofMillis((Long) value));
        default -> throw new IllegalArgumentException("Unknown option " + option.getKey() + ".");
      };
    }
    return options;
  }

  private static List<?> absent(Map<String, Object> expect) {
    return expect.get("absent") instanceof List<?> names ? names : List.of();
  }

  private static String wordOf(TillState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  private static List<Duration> durations(Object seconds) {
    return numbers(seconds).stream().map(each -> Duration.ofMillis(Math.round(each * 1000))).toList();
  }

  private static List<Double> numbers(Object list) {
    return list == null ? null : ((List<?>) list).stream().map(each -> ((Number) each).doubleValue()).toList();
  }

  /** Rounds the expiry of a code to ten seconds, because the API writes times in whole seconds. */
  private static Map<String, Object> openFacts(OpenCode code, Instant openedAt) throws ReflectiveOperationException {
    var facts = factsOf(code);
    var endsIn = Duration.between(openedAt, WireTime.parse(code.endsAt()));
    facts.put("endsInSeconds", Math.round(endsIn.toMillis() / 10_000.0) * 10);
    facts.put("outcome", "open");
    return facts;
  }

  /** Uses reflection, which only tests do. */
  private static Map<String, Object> factsOf(CodeResult result) throws ReflectiveOperationException {
    var facts = new HashMap<String, Object>();
    for (RecordComponent each : result.getClass().getRecordComponents()) {
      var value = each.getAccessor().invoke(result);
      facts.put(each.getName(), value instanceof Amount amount
          ? Map.of("currency", amount.currency(), "value", amount.value())
          : value);
    }
    facts.put("outcome", result.getClass().getSimpleName().toLowerCase(Locale.ROOT));
    return facts;
  }

  /**
   * Returns the fields of the result that the case names. A field that the case sets to null must be absent.
   */
  private static Object named(Map<String, Object> found, Object expected) {
    if (expected == null) return "there";
    var some = new HashMap<String, Object>();
    fields(expected).keySet().forEach(name -> some.put(name, found.get(name)));
    return some;
  }
}
