package io.tollgate;

/** Options for reading the feed: where to begin, and when to stop. */
public final class EventsOptions {
  /** Reads the feed from its beginning to its end. */
  public static final EventsOptions DEFAULT = new EventsOptions(null, null, false);

  private final String from;
  private final Long pageSize;
  private final boolean follow;

  private EventsOptions(String from, Long pageSize, boolean follow) {
    this.from = from;
    this.pageSize = pageSize;
    this.follow = follow;
  }

  /**
   * Starts after the cursor of the last event that you have applied; null starts at the beginning, {@code
   * latest} at the end.
   */
  public static EventsOptions from(String cursor) {
    return new EventsOptions(cursor, null, false);
  }

  /** The number of events per request (default 100). */
  public EventsOptions withPageSize(int pageSize) {
    return new EventsOptions(from, (long) pageSize, follow);
  }

  /**
   * At the end of the feed, polls every second, until the thread is interrupted or the loop is left. After a
   * temporary fault, the loop continues after the last event.
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
