package io.tollgate;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Limits the size of a response: an endless response could otherwise fill the memory before its signature is
 * verified.
 */
final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
  private final int bytesMax;
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private Flow.Subscription subscription;

  LimitedBody(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (body.isDone()) return;
    for (var buffer : buffers) {
      var bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      read.writeBytes(bytes);
    }
    if (read.size() <= bytesMax) return;
    subscription.cancel();
    body.complete(read.toByteArray());
  }

  @Override
  public void onError(Throwable problem) {
    body.completeExceptionally(problem);
  }

  @Override
  public void onComplete() {
    body.complete(read.toByteArray());
  }
}
