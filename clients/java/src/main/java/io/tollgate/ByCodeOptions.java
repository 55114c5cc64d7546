package io.tollgate;

import io.tollgate.exception.ConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Options of a payment at a point of sale.
 *
 * @param inquireAfter pauses before each inquiry; after the last inquiry, the payment is cancelled
 * @param cancelAfter pauses before a cancel is retried
 * @param resendAfter pauses before the same {@code pay} request for a code is retried
 * @param timeout for each response
 * @param stop when it completes, the payment is cancelled at once, and the result reports the outcome; null
 *     for never
 * @param onState called when the state changes, to inform the cashier; may be null
 */
public record ByCodeOptions(
    List<Duration> inquireAfter,
    List<Duration> cancelAfter,
    List<Duration> resendAfter,
    Duration timeout,
    CompletionStage<?> stop,
    Consumer<TillState> onState) {
  /** The usual pauses of a point of sale. */
  public static final ByCodeOptions DEFAULT = new ByCodeOptions(
      seconds(2, 3, 3, 5, 5, 5, 5, 5, 5), seconds(2, 3, 3, 5, 5), seconds(2, 3), Duration.ofSeconds(5), null, null);

  public ByCodeOptions {
    inquireAfter = List.copyOf(inquireAfter);
    cancelAfter = List.copyOf(cancelAfter);
    resendAfter = List.copyOf(resendAfter);
    if (Stream.of(inquireAfter, cancelAfter, resendAfter).flatMap(List::stream).anyMatch(Duration::isNegative)) {
      throw new ConfigurationException("A pause must not be less than 0.");
    }
  }

  public ByCodeOptions withInquireAfter(List<Duration> inquireAfter) {
    return new ByCodeOptions(inquireAfter, cancelAfter, resendAfter, timeout, stop, onState);
  }

  public ByCodeOptions withCancelAfter(List<Duration> cancelAfter) {
    return new ByCodeOptions(inquireAfter, cancelAfter, resendAfter, timeout, stop, onState);
  }

  public ByCodeOptions withResendAfter(List<Duration> resendAfter) {
    return new ByCodeOptions(inquireAfter, cancelAfter, resendAfter, timeout, stop, onState);
  }

  public ByCodeOptions withTimeout(Duration timeout) {
    return new ByCodeOptions(inquireAfter, cancelAfter, resendAfter, timeout, stop, onState);
  }

  public ByCodeOptions withStop(CompletionStage<?> stop) {
    return new ByCodeOptions(inquireAfter, cancelAfter, resendAfter, timeout, stop, onState);
  }

  public ByCodeOptions withOnState(Consumer<TillState> onState) {
    return new ByCodeOptions(inquireAfter, cancelAfter, resendAfter, timeout, stop, onState);
  }

  private static List<Duration> seconds(long... seconds) {
    return LongStream.of(seconds).mapToObj(Duration::ofSeconds).toList();
  }
}
