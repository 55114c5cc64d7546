package io.tollgate;

import java.util.function.Consumer;

/**
 * Is told when a call begins, and gives what is told how it has ended: a span of OpenTelemetry, or a timer of your metrics.
 * What it throws is dropped. The end may be told in another thread.
 */
@FunctionalInterface
public interface Observer {
  /** A call begins. What is returned is told of its end; null: nobody wants to know. */
  Consumer<ObservedEnd> begin(ObservedCall call);
}
