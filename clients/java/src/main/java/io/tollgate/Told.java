package io.tollgate;

import io.tollgate.model.NotificationBody;

/** What was told, by a {@link Notification} or in the feed, as an {@link Event}. There may be more in a later version. */
public interface Told {
  /** Such as {@code notifyPayment}; {@code unknown} for one that this version of the library has no type for. */
  String kind();

  /** Ask what it is: {@code if (told.body() instanceof PaymentNotification payment)}. */
  NotificationBody body();

  /** The record that it tells of, for {@link ApplyOnce}. */
  String subject();

  /** Which of the record's changes it tells of: a higher one is newer. 0 if it does not say. */
  long sequence();
}
