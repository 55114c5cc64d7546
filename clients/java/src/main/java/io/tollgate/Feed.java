package io.tollgate;

import io.tollgate.exception.GatewayException;
import io.tollgate.internal.call.Caller;
import io.tollgate.internal.call.Settings;
import io.tollgate.internal.call.Waiting;
import io.tollgate.model.InquiryEventsRequest;
import io.tollgate.model.InquiryNotificationsRequest;
import io.tollgate.model.SentNotification;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Tollgate's own operations, and the feed and other lists, page by page. */
public final class Feed extends TollgateArea {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Settings settings;

  Feed(Caller caller, Settings settings) {
    super(caller);
    this.settings = settings;
  }

  /** Iterates over all webhooks from the beginning, see {@link #events(EventsOptions)}. */
  public Iterable<Event> events() {
    return events(EventsOptions.DEFAULT);
  }

  /**
   * Iterates over all webhooks in order. An event is typed like a webhook and usable with {@link ApplyOnce}.
   * Store the cursor of each event in the transaction in which you apply the event, and continue from it:
   * {@code for (var event : client.tollgate().events(EventsOptions.from(cursor)))}.
   */
  public Iterable<Event> events(EventsOptions options) {
    return () -> new Pages<>(new Reading(options));
  }

  /** Iterates over all webhooks that the request selects, oldest first, page by page. */
  public Iterable<SentNotification> notifications(InquiryNotificationsRequest request) {
    return () -> new Pages<>(new Listing(request));
  }

  /** The reader's position in the feed. */
  private final class Reading implements Supplier<List<Event>> {
    private final EventsOptions options;
    private String cursor;
    private boolean isAtEnd;
    private Duration pause = FIRST_PAUSE;

    Reading(EventsOptions options) {
      this.options = options;
      this.cursor = options.from();
    }

    @Override
    public List<Event> get() {
      if (isAtEnd && !options.follow()) return null;
      if (isAtEnd) Caller.await(settings.clock().sleep(pause), CallFacts.NONE);
      try {
        var page = inquiryEvents(request());
        if (page.nextCursor() != null) cursor = page.nextCursor();
        isAtEnd = !Boolean.TRUE.equals(page.hasMore());
        pause = FIRST_PAUSE;
        return page.events() == null ? List.of() : page.events().stream().map(Event::new).toList();
      } catch (GatewayException problem) {
        return laterUnlessItStays(problem);
      }
    }

    private InquiryEventsRequest request() {
      var request = InquiryEventsRequest.builder().cursor(cursor);
      return (options.pageSize() == null ? request : request.limit(options.pageSize())).build();
    }

    private List<Event> laterUnlessItStays(GatewayException problem) {
      boolean isOver = Thread.currentThread().isInterrupted();
      if (!options.follow() || isOver || !Waiting.isPassing(problem)) throw problem;
      var where = cursor == null ? "its beginning" : cursor;
      settings.log(new LogEntry.Warning(
          "Reading the feed failed; it continues after " + where + ": " + problem.getMessage()));
      pause = isAtEnd ? longer(pause) : FIRST_PAUSE;
      isAtEnd = true;
      return List.of();
    }
  }

  private static Duration longer(Duration pause) {
    var twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  private final class Listing implements Supplier<List<SentNotification>> {
    private InquiryNotificationsRequest request;

    Listing(InquiryNotificationsRequest request) {
      this.request = request;
    }

    @Override
    public List<SentNotification> get() {
      if (request == null) return null;
      var page = inquiryNotifications(request);
      var found = page.notifications() == null ? List.<SentNotification>of() : page.notifications();
      boolean hasMore = Boolean.TRUE.equals(page.hasMore()) && !found.isEmpty();
      request = hasMore
          ? request.toBuilder().after(found.get(found.size() - 1).notificationId()).build()
          : null;
      return found;
    }
  }
}
