package io.tollgate;

import io.tollgate.model.NotificationBody;

/**
 * A webhook with a valid signature.
 *
 * @param kind the kind of webhook, such as {@code notifyPayment}; {@code unknown} if this version of the
 *     library has no type for it
 * @param body find its type with {@code if (notification.body() instanceof PaymentNotification payment)}
 * @param subject the record that changed, for {@link ApplyOnce}
 * @param sequence the number of the record's change; 0 if the body has none
 * @param replayKey a key that two messages share only if exactly the same message arrives again (replay):
 *     each delivery attempt of the gateway has a new key
 * @param time the text of the message's time header
 */
public record Notification(
    String kind, NotificationBody body, String subject, long sequence, String replayKey, String time)
    implements Told {}
