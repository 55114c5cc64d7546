package io.tollgate;

import io.tollgate.model.FeedEvent;
import io.tollgate.model.NotificationBody;
import java.nio.charset.StandardCharsets;

/**
 * An entry of the feed: what was or will be told by notification, typed like one. Its subject is that of the
 * notification, so whichever of the two comes second is old news to {@link ApplyOnce}.
 */
public final class Event implements Told {
  private final FeedEvent entry;
  private final ToldParts told;

  Event(FeedEvent entry) {
    this.entry = entry;
    this.told = ToldParts.read(entry.body().getBytes(StandardCharsets.UTF_8));
  }

  /** Its place in the feed. Keep it in the transaction in which you apply the event, and go on from there. */
  public String cursor() {
    return entry.cursor();
  }

  /** The gateway's name for the notification. */
  public String notificationId() {
    return entry.notificationId();
  }

  /** When it happened. */
  public String createdTime() {
    return entry.createdTime();
  }

  @Override
  public String kind() {
    return told.kind();
  }

  @Override
  public NotificationBody body() {
    return told.body();
  }

  @Override
  public String subject() {
    return told.subject();
  }

  @Override
  public long sequence() {
    return told.sequence();
  }

  @Override
  public String toString() {
    return "Event[cursor=" + cursor() + ", subject=" + subject() + ", sequence=" + sequence() + "]";
  }
}
