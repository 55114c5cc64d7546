package io.tollgate;

import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.Redaction;
import io.tollgate.model.Result;
import java.util.Map;

/**
 * The response of an operation that was called by its path, see {@link Tollgate#request}.
 *
 * @param fields the complete response, including {@code result}
 */
public record RawAnswer(Result result, Map<String, Object> fields, CallFacts call) implements Answer {
  /** Returns text for people and logs, in which secret fields are masked. */
  @Override
  public String toString() {
    return "RawAnswer" + Json.write(Redaction.redacted(fields));
  }
}
