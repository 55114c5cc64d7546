package io.tollgate;

import io.tollgate.model.FeedEvent;
import io.tollgate.model.NotificationBody;
import java.nio.charset.StandardCharsets;

/**
 * An event of the feed: the content of a webhook, typed like one. Its subject is the same as that of the
 * webhook, so {@link ApplyOnce} skips whichever of the two arrives second.
 */
public final class Event implements Told {
  private final FeedEvent entry;
  private final ToldParts told;

  Event(FeedEvent entry) {
    this.entry = entry;
    this.told = ToldParts.read(entry.body().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The position of the event in the feed. Store it in the transaction in which you apply the event, and
   * continue from it.
   */
  public String cursor() {
    return entry.cursor();
  }

  /** The gateway's id of the webhook. */
  public String notificationId() {
    return entry.notificationId();
  }

  /** The creation time. */
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
