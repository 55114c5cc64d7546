package io.tollgate.internal.call;

import io.tollgate.CallFacts;
import io.tollgate.Refusal;
import io.tollgate.TransportResponse;
import io.tollgate.exception.HttpStatusException;
import io.tollgate.exception.MalformedResponseException;
import io.tollgate.exception.ResultException;
import io.tollgate.exception.SignatureProblem;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.internal.generated.ResultCodes;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.JsonException;
import io.tollgate.internal.signing.UntrustedException;
import io.tollgate.internal.signing.Verifier;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/** Reads a response: the HTTP status first, then the signature, and only then the body. */
final class AnswerReader {
  private static final int SHOWN_BYTES_MAX = 2_000;

  /** The maximum age of a response: allows for network delay and clock skew. */
  private static final long AGE_SECONDS_MAX = 600;

  private final Settings settings;
  private final Caller.Prepared call;

  AnswerReader(Settings settings, Caller.Prepared call) {
    this.settings = settings;
    this.call = call;
  }

  Outcome read(TransportResponse response, CallFacts known) {
    var facts = known.withTraceId(first(response, "request-id"));
    var waiting = first(response, "retry-after");
    var retryAfter = waiting == null ? null : RetryDelay.readRetryAfter(waiting, settings.clock().now());
    return outcomeOf(response, facts).withRetryAfter(retryAfter);
  }

  private Outcome outcomeOf(TransportResponse response, CallFacts facts) {
    int status = response.status();
    if (status != 200) {
      var problem = new HttpStatusException(status, beginningOf(response.body()), facts);
      return Outcome.problem(problem, status == 429 || status >= 500);
    }
    if (response.body().length > call.answerBytesMax()) {
      var message = "The gateway's response is longer than " + call.answerBytesMax() + " bytes.";
      return Outcome.problem(new MalformedResponseException(message, facts, null), false);
    }
    try {
      var verified = Verifier.verify(
          new Verifier.Received(
              Verifier.Kind.RESPONSE, "POST", call.path(), settings.clientId(), response.headers(), response.body()),
          settings.gatewayKeys());
      Verifier.checkTime(verified.time(), settings.clock().now(), AGE_SECONDS_MAX);
    } catch (UntrustedException untrusted) {
      var unsigned = isUnsigned(response) ? unsignedOutcome(response.body(), facts) : null;
      return unsigned != null
          ? unsigned
          : Outcome.problem(new SignatureVerificationException(untrusted.reason(), facts), false);
    }
    return signedOutcome(response.body(), facts);
  }

  /**
   * The signature covers path, client, time and body, but not the request. Only the ids show which request a
   * response belongs to. An attacker could otherwise replay a signed response about another payment.
   */
  private boolean isAboutOther(Map<String, Object> answer) {
    return call.subject().entrySet().stream().anyMatch(id -> {
      var answered = answer.get(id.getKey());
      return answered != null && !answered.equals(id.getValue());
    });
  }

  private Outcome signedOutcome(byte[] bytes, CallFacts facts) {
    var body = Body.in(bytes);
    if (body == null) {
      var message = "The gateway's response is not JSON with a `result`.";
      return Outcome.problem(new MalformedResponseException(message, facts, null), false);
    }
    if (isAboutOther(body.fields)) {
      return Outcome.problem(new SignatureVerificationException(SignatureProblem.OTHER_SUBJECT, facts), false);
    }
    var code = ResultCodes.factsOf(body.code);
    boolean isPending = body.status.equals("U");
    // A rate-limited request had no effect, so its outcome is known.
    if (isPending && code.error() == ErrorKind.RATE_LIMIT) {
      return Outcome.problem(body.refusal(true, facts), code.isRetryable());
    }
    return Outcome.answer(body.fields, body.code, facts.traceId(), isPending && code.isRetryable());
  }

  private static boolean isUnsigned(TransportResponse response) {
    return first(response, "signature") == null && first(response, "response-time") == null;
  }

  private Outcome unsignedOutcome(byte[] bytes, CallFacts facts) {
    var body = settings.allowUnsignedRefusals() ? Body.in(bytes) : null;
    if (body == null) return null;
    var code = ResultCodes.factsOf(body.code);
    if (body.status.equals("S") || !code.mayBeUnsigned()) return null;
    boolean isBusy = body.status.equals("U") && code.error() == ErrorKind.RATE_LIMIT;
    return Outcome.problem(body.refusal(false, facts), isBusy);
  }

  /** Creates the error for a rejection. */
  static ResultException failureOf(Map<String, Object> answer, CallFacts facts) {
    return Body.of(answer).refusal(true, facts);
  }

  private static String first(TransportResponse response, String name) {
    var values = response.headers().of(name);
    return values.isEmpty() ? null : values.get(0);
  }

  private static String beginningOf(byte[] body) {
    return new String(body, 0, Math.min(body.length, SHOWN_BYTES_MAX), StandardCharsets.UTF_8);
  }

  /** The parts of every response. */
  private record Body(String code, String status, String message, Map<String, Object> fields) {
    private static final Set<String> STATUSES = Set.of("S", "F", "U");

    static Body in(byte[] bytes) {
      try {
        return of(Json.readObject(bytes));
      } catch (JsonException problem) {
        return null;
      }
    }

    static Body of(Map<String, Object> fields) {
      if (!(fields.get("result") instanceof Map<?, ?> result)) return null;
      if (!(result.get("resultCode") instanceof String code)) return null;
      if (!(result.get("resultStatus") instanceof String status) || !STATUSES.contains(status)) return null;
      return new Body(code, status, result.get("resultMessage") instanceof String message ? message : "", fields);
    }

    ResultException refusal(boolean isSigned, CallFacts facts) {
      var known = ResultCodes.factsOf(code);
      var refusal = new Refusal(code, status, message, known.advice(), isSigned, fields);
      return known.error() == null ? new ResultException(refusal, facts) : known.error().exception(refusal, facts);
    }
  }
}
