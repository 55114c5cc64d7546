package io.tollgate.testing;

import io.tollgate.HeaderValues;
import io.tollgate.Transport;
import io.tollgate.TransportRequest;
import io.tollgate.TransportResponse;
import io.tollgate.internal.signing.SignatureHeader;
import io.tollgate.internal.signing.SignedText;
import io.tollgate.internal.signing.Signer;
import io.tollgate.internal.signing.WireTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A gateway in memory that sends these responses, one for each request, and signs them. It records the
 * requests.
 */
public final class FakeGateway implements Transport {
  private final Signer signer;
  private final List<Reply> replies;
  private final List<TransportRequest> requests = new ArrayList<>();

  /** @param keys the gateway's keys: pass the public key to the client */
  public FakeGateway(TestKeys keys, Reply... replies) {
    this.signer = Signer.of(keys.privateKey());
    this.replies = List.of(replies);
  }

  @Override
  public synchronized CompletableFuture<TransportResponse> send(TransportRequest request) {
    requests.add(request);
    int number = requests.size();
    if (number > replies.size()) throw new IllegalStateException("There is no response number " + number + ".");
    var reply = replies.get(number - 1);
    return reply.json() == null
        ? CompletableFuture.failedFuture(new IOException("The connection was reset."))
        : CompletableFuture.completedFuture(answer(request, reply));
  }

  /** The requests so far. */
  public synchronized List<TransportRequest> requests() {
    return List.copyOf(requests);
  }

  private TransportResponse answer(TransportRequest request, Reply reply) {
    var body = reply.json().getBytes(StandardCharsets.UTF_8);
    var clientId = request.headers().get("client-id");
    // The response's time is the request's time: the client may have a fake clock, and rejects a response
    // that is too old.
    var time = WireTime.write(Instant.ofEpochMilli(Long.parseLong(request.headers().get("request-time"))));
    var text = SignedText.of("POST", request.url().getRawPath(), clientId, time, body);
    var headers = new LinkedHashMap<String, List<String>>();
    headers.put("signature", List.of(SignatureHeader.write(1, signer.sign(text))));
    headers.put("response-time", List.of(time));
    headers.put("client-id", List.of(clientId));
    reply.headers().forEach((name, value) -> headers.put(name, List.of(value)));
    return new TransportResponse(reply.status(), HeaderValues.in(headers), body);
  }
}
