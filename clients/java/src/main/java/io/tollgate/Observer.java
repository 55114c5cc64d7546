package io.tollgate;

import java.util.function.Consumer;

/**
 * Called when a call starts; returns a consumer that is called when the call ends. Use it for an
 * OpenTelemetry span or for metrics. Exceptions of an observer are ignored. The end may be reported in
 * another thread.
 */
@FunctionalInterface
public interface Observer {
  /** A call starts. The returned consumer receives its end; it may be null. */
  Consumer<ObservedEnd> begin(ObservedCall call);
}
