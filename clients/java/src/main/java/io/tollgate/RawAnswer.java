package io.tollgate;

import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.Redaction;
import io.tollgate.model.Result;
import java.util.Map;

/**
 * The answer of an operation that was called by its path, see {@link Tollgate#request}.
 *
 * @param fields all of the answer, {@code result} included
 */
public record RawAnswer(Result result, Map<String, Object> fields, CallFacts call) implements Answer {
  /** For people and logs: what is secret is hidden. */
  @Override
  public String toString() {
    return "RawAnswer" + Json.write(Redaction.redacted(fields));
  }
}
