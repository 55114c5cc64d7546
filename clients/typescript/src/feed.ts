import type { CallOptions } from "./call.ts";
import { logSafely, type Settings } from "./caller.ts";
import { utf8 } from "./bytes.ts";
import { isPassing } from "./errors.ts";
import { streamedEvents } from "./event-stream.ts";
import type { FeedEvent, InquiryNotificationsRequest, SentNotification } from "./generated/models.ts";
import type { TollgateArea } from "./generated/operations.ts";
import { readNotification, type ToldEvent } from "./notification.ts";

/** Where to read on in the feed, and for how long. */
export interface EventsOptions {
  /** The cursor of the last event that you have applied. From the beginning without one; `latest` is the end. */
  readonly from?: string | undefined;
  /** How many are asked for at once; 100 unless said otherwise. */
  readonly pageSize?: number | undefined;
  /**
   * At the end, wait for more until `signal` aborts: by the gateway's stream, or by asking every second where the
   * transport cannot stream. Faults that pass end nothing: it goes on behind the last event.
   */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What `tollgate` has beside its operations: the feed and its lists, page after page. */
export interface Feed {
  /**
   * Everything that you are told by notification, in order, typed like a notification and as good for `applyOnce`. Keep
   * the `cursor` of each in the transaction in which you apply it, and go on from there.
   */
  events(options?: EventsOptions): AsyncIterable<ToldEvent>;
  /** All notifications that the request asks for, the oldest first, page after page. */
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

/** Pages until the end, because one is signed for a hundred events; then the stream. When that ends, pages again. */
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
      const message = `The feed broke off, and goes on behind ${cursor ?? "its beginning"}: ${String(error)}`;
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
