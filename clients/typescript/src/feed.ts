import type { CallOptions } from "./call.ts";
import { logSafely, type Settings } from "./caller.ts";
import { utf8 } from "./bytes.ts";
import { isPassing } from "./errors.ts";
import { streamedEvents } from "./event-stream.ts";
import type { FeedEvent, InquiryNotificationsRequest, SentNotification } from "./generated/models.ts";
import type { TollgateArea } from "./generated/operations.ts";
import { readNotification, type ToldEvent } from "./notification.ts";

/** Options for reading the feed: where to begin, and when to stop. */
export interface EventsOptions {
  /**
   * The cursor of the last event that you have applied. If it is not set, reading starts at the beginning;
   * `latest` starts at the end.
   */
  readonly from?: string | undefined;
  /** The number of events per request (default 100). */
  readonly pageSize?: number | undefined;
  /**
   * At the end of the feed, waits for more events until `signal` aborts. It uses the gateway's stream, or
   * polls every second if the transport cannot stream. After a temporary fault, the loop continues after the
   * last event.
   */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Methods of `tollgate` in addition to its operations: the feed and other lists, page by page. */
export interface Feed {
  /**
   * Iterates over all webhooks in order. An event is typed like a webhook and usable with `applyOnce`. Store
   * the `cursor` of each event in the transaction in which you apply the event, and continue from it.
   */
  events(options?: EventsOptions): AsyncIterable<ToldEvent>;
  /** Iterates over all webhooks that the request selects, oldest first, page by page. */
  notifications(
    request?: InquiryNotificationsRequest,
    options?: CallOptions,
  ): AsyncIterable<SentNotification>;
}

export function feedOf(area: TollgateArea, settings: Settings, toleranceSeconds: number): Feed {
  return {
    events: ({ follow = false, ...options } = {}) =>
      follow ? followed(area, settings, toleranceSeconds, options) : pages(area, options),
    notifications: (request, options) => notificationsOf(area, request, options),
  };
}

type Place = Omit<EventsOptions, "follow">;

async function* pages(
  area: TollgateArea,
  { from, pageSize, signal }: Place,
): AsyncGenerator<ToldEvent, string> {
  for (let cursor = from; ;) {
    const page = await area.inquiryEvents({ cursor, limit: pageSize }, { signal });
    for (const event of page.events ?? []) yield await eventOf(event);
    cursor = page.nextCursor ?? cursor;
    if (page.hasMore !== true) return cursor ?? "0";
  }
}

async function eventOf({ cursor, notificationId, createdTime, body }: FeedEvent): Promise<ToldEvent> {
  return { ...(await readNotification(utf8(body))), cursor, notificationId, createdTime };
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Reads pages until the end, because one signature covers a hundred events; then reads the stream. When the
 * stream ends, reads pages again.
 */
async function* followed(
  area: TollgateArea,
  settings: Settings,
  toleranceSeconds: number,
  { from, pageSize, signal = new AbortController().signal }: Place,
): AsyncGenerator<ToldEvent> {
  const { clock, logger, transport } = settings;
  let cursor = from;
  for (let pauseMs = firstPauseMs; ;) {
    const before = cursor;
    try {
      const caughtUp = pages(area, { from: cursor, pageSize, signal });
      let next = await caughtUp.next();
      for (; next.done !== true; next = await caughtUp.next()) {
        yield next.value;
        ({ cursor } = next.value);
      }
      cursor = next.value;
      const { stream } = transport;
      if (stream)
        for await (const event of streamedEvents({ settings, stream, toleranceSeconds }, cursor, signal)) {
          yield event;
          ({ cursor } = event);
        }
      pauseMs = firstPauseMs;
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) throw error;
      pauseMs = cursor === before ? Math.min(pauseMs * 2, longestPauseMs) : firstPauseMs;
      const message = `Reading the feed failed; it continues after ${cursor ?? "its beginning"}: ${String(error)}`;
      logSafely(logger, { event: "warning", message });
    }
    await clock.sleep(pauseMs, signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

async function* notificationsOf(
  area: TollgateArea,
  request: InquiryNotificationsRequest = {},
  options?: CallOptions,
): AsyncGenerator<SentNotification> {
  for (let { after } = request; ;) {
    const page = await area.inquiryNotifications({ ...request, after }, options);
    const { notifications = [] } = page;
    yield* notifications;
    after = notifications.at(-1)?.notificationId;
    if (page.hasMore !== true || after === undefined) return;
  }
}
