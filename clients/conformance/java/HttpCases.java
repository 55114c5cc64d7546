package io.tollgate.conformance;

import static io.tollgate.conformance.Report.difference;
import static io.tollgate.conformance.Vectors.fields;
import static io.tollgate.conformance.Vectors.key;
import static io.tollgate.conformance.Vectors.number;
import static io.tollgate.conformance.Vectors.text;

import io.tollgate.CallOptions;
import io.tollgate.RawAnswer;
import io.tollgate.Tollgate;
import io.tollgate.TollgateBuilder;
import io.tollgate.exception.GatewayException;
import io.tollgate.exception.HttpStatusException;
import io.tollgate.exception.ResultException;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.internal.json.Json;
import io.tollgate.model.InquiryPaymentRequest;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Calls over a real connection to the scripted gateway. */
final class HttpCases {
  private static final Map<String, Object> FILE = Vectors.read("http");

  private final String gateway;
  private final HttpClient http = HttpClient.newHttpClient();

  HttpCases(String gateway) {
    this.gateway = gateway;
  }

  String run(Map<String, Object> each) throws Exception {
    var expect = fields(each.get("expect"));
    var run = "java/" + each.get("id") + "/" + UUID.randomUUID();
    var startedAt = System.nanoTime();
    var problem = problemOf(each, expect, run);
    long tookMs = Duration.ofNanos(System.nanoTime() - startedAt).toMillis();
    if (expect.get("withinMs") instanceof Long withinMs && tookMs > withinMs) return "it took " + tookMs + " ms";
    if (problem != null) return problem;
    // The number of polls is not compared, because it depends on the speed of the machine.
    return each.containsKey("wait")
        ? difference(seen(run).get("problems"), List.of())
        : difference(seen(run), Map.of("attempts", expect.get("attempts"), "problems", List.of()));
  }

  private String problemOf(Map<String, Object> each, Map<String, Object> expect, String run) {
    try {
      if (each.get("wait") instanceof Map<?, ?> wait) {
        var payment = InquiryPaymentRequest.builder().paymentRequestId(run).build();
        clientOf(each).payments().waitForFinal(payment, Duration.ofMillis((Long) wait.get("timeoutMs")));
        return "the payment is final";
      }
      var answer = clientOf(each).request(text(each, "operation"), Map.of("paymentRequestId", run), optionsOf(each));
      return answerProblem(answer, expect);
    } catch (GatewayException problem) {
      return errorProblem(problem, expect);
    }
  }

  private Tollgate clientOf(Map<String, Object> each) {
    return builderOf(each).build();
  }

  TollgateBuilder builderOf(Map<String, Object> each) {
    var keys = new HashMap<Integer, String>();
    fields(FILE.get("gatewayPublicKeys"))
        .forEach((version, name) -> keys.put(Integer.valueOf(version), key(name, "publicSpki")));
    var builder = Tollgate.builder()
        .clientId(each.get("clientId") instanceof String id ? id : text(FILE, "clientId"))
        .privateKey(key(FILE.get("key"), "privatePkcs8"))
        .keyVersion(number(FILE, "keyVersion"))
        .gatewayPublicKeys(keys)
        .baseUrl(gateway);
    fields(each.get("client")).forEach((name, value) -> set(builder, name, value));
    return builder;
  }

  private static void set(TollgateBuilder builder, String name, Object value) {
    switch (name) {
      case "environment" -> builder.environment((String) value);
      case "allowUnsignedRefusals" -> builder.allowUnsignedRefusals((Boolean) value);
      case "allowInsecure" -> builder.allowInsecure((Boolean) value);
      case "agentToken" -> builder.agentToken((String) value);
      case "baseUrl" -> builder.baseUrl((String) value);
      case "timeoutMs" -> builder.timeout(Duration.ofMillis((Long) value));
      case "maxRetries" -> builder.maxRetries(((Long) value).intValue());
      default -> throw new IllegalArgumentException("Unknown option " + name + ".");
    }
  }

  private static CallOptions optionsOf(Map<String, Object> each) {
    var options = CallOptions.DEFAULT;
    for (var option : fields(each.get("call")).entrySet()) {
      var value = option.getValue();
      options = switch (option.getKey()) {
        case "throwOnFailure" -> options.withThrowOnFailure((Boolean) value);
        case "timeoutMs" -> options.withTimeout(Duration.ofMillis((Long) value));
        case "deadlineMs" -> options.withDeadline(Duration.ofMillis((Long) value));
        case "maxRetries" -> options.withMaxRetries(((Long) value).intValue());
        case "headers" -> withHeaders(options, fields(value));
        default -> throw new IllegalArgumentException("Unknown option " + option.getKey() + ".");
      };
    }
    return options;
  }

  private static CallOptions withHeaders(CallOptions options, Map<String, Object> headers) {
    var all = options;
    for (var header : headers.entrySet()) all = all.withHeader(header.getKey(), (String) header.getValue());
    return all;
  }

  private static String answerProblem(RawAnswer answer, Map<String, Object> expect) {
    var status = answer.isSuccess() ? "S" : answer.isPending() ? "U" : answer.isFailure() ? "F" : "none";
    var fields = new HashMap<String, Object>();
    fields(expect.get("fields")).forEach((name, value) -> fields.put(name, answer.fields().get(name)));
    var absent = expect.get("absent") instanceof List<?> names ? names : List.of();
    if (absent.stream().anyMatch(answer.fields()::containsKey)) return "one of " + absent + " is there";
    return difference(
        List.of("answer", answer.result().resultCode().text(), status, fields, (long) answer.attempts()),
        List.of(expect.get("outcome"), expect.getOrDefault("code", ""), expect.getOrDefault("resultStatus", ""),
            fields(expect.get("fields")), expect.get("attempts")));
  }

  private static String errorProblem(GatewayException problem, Map<String, Object> expect) {
    var found = new HashMap<String, Object>();
    found.put("outcome", "error");
    // The cases name errors as the other libraries do. In Java, only the suffix of the name differs.
    found.put("class", problem.getClass().getSimpleName().replaceFirst("Exception$", "Error"));
    found.put("attempts", (long) problem.attempts());
    if (problem instanceof ResultException refusal) {
      found.put("code", refusal.code());
      found.put("isSigned", refusal.isSigned());
    }
    if (problem instanceof SignatureVerificationException untrusted) found.put("reason", untrusted.reason().name());
    if (problem instanceof HttpStatusException status) found.put("httpStatus", (long) status.status());
    if (expect.containsKey("message")) found.put("message", problem.getMessage());
    var wanted = new HashMap<>(expect);
    wanted.keySet().removeAll(List.of("path", "sent", "waitMs", "withinMs", "resultStatus"));
    return difference(found, wanted);
  }

  /** The requests of a run that the gateway has received. */
  Map<String, Object> seen(String run) throws Exception {
    var url = gateway + "/seen?run=" + URLEncoder.encode(run, StandardCharsets.UTF_8);
    var response = http.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofByteArray());
    return Json.readObject(response.body());
  }
}
