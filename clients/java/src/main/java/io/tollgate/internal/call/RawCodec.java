package io.tollgate.internal.call;

import io.tollgate.RawAnswer;
import io.tollgate.internal.codec.ResultCodec;
import io.tollgate.internal.json.Codec;
import io.tollgate.internal.json.Fields;
import java.util.Map;

/** Bodies of operations that are called by their paths. */
public final class RawCodec {
  public static final Codec<Map<String, Object>> REQUEST = new Codec<>() {
    @Override
    public Map<String, Object> read(Fields fields) {
      return fields.rest();
    }

    @Override
    public Map<String, Object> write(Map<String, Object> fields) {
      return fields;
    }
  };

  public static final Codec<RawAnswer> ANSWER = new Codec<>() {
    @Override
    public RawAnswer read(Fields fields) {
      var all = fields.rest();
      return new RawAnswer(fields.object("result", ResultCodec.CODEC), all, fields.call());
    }

    @Override
    public Map<String, Object> write(RawAnswer answer) {
      return answer.fields();
    }
  };

  private RawCodec() {}
}
