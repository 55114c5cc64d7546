package io.tollgate;

import io.tollgate.model.NotificationBody;

/**
 * The content of a {@link Notification}, or of an {@link Event} in the feed. A later version may add other
 * implementations.
 */
public interface Told {
  /**
   * The kind of webhook, such as {@code notifyPayment}; {@code unknown} if this version of the library has no
   * type for it.
   */
  String kind();

  /** Find its type with {@code if (told.body() instanceof PaymentNotification payment)}. */
  NotificationBody body();

  /** The record that changed, for {@link ApplyOnce}. */
  String subject();

  /** The number of the record's change: a higher number is newer. 0 if the body has none. */
  long sequence();
}
