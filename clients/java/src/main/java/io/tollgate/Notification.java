package io.tollgate;

import io.tollgate.model.NotificationBody;

/**
 * A notification whose signature holds.
 *
 * @param kind such as {@code notifyPayment}; {@code unknown} for one that this version of the library has no type for
 * @param body ask what it is: {@code if (notification.body() instanceof PaymentNotification payment)}
 * @param subject the record that it tells of, for {@link ApplyOnce}
 * @param sequence which of the record's changes it tells of; 0 if it does not say
 * @param replayKey the same only if the very same message comes again: every attempt of the gateway has a new one
 * @param time the text of its time header
 */
public record Notification(
    String kind, NotificationBody body, String subject, long sequence, String replayKey, String time)
    implements Told {}
