package io.tollgate;

/** Where to read on in the feed, and for how long. */
public final class EventsOptions {
  /** From the beginning to the end. */
  public static final EventsOptions DEFAULT = new EventsOptions(null, null, false);

  private final String from;
  private final Long pageSize;
  private final boolean follow;

  private EventsOptions(String from, Long pageSize, boolean follow) {
    this.from = from;
    this.pageSize = pageSize;
    this.follow = follow;
  }

  /** Behind the cursor of the last event that you have applied; null is the beginning, {@code latest} the end. */
  public static EventsOptions from(String cursor) {
    return new EventsOptions(cursor, null, false);
  }

  /** How many are asked for at once; 100 unless said otherwise. */
  public EventsOptions withPageSize(int pageSize) {
    return new EventsOptions(from, (long) pageSize, follow);
  }

  /**
   * At the end, asks again every second, until the thread is interrupted or the loop is left. Faults that pass end
   * nothing: it goes on behind the last event.
   */
  public EventsOptions withFollow(boolean follow) {
    return new EventsOptions(from, pageSize, follow);
  }

  String from() {
    return from;
  }

  Long pageSize() {
    return pageSize;
  }

  boolean follow() {
    return follow;
  }
}
