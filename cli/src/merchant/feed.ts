import { setTimeout as wait } from "node:timers/promises";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";

const pollIntervalMs = 400;

/** An entry of the feed. */
export interface FeedEntry {
  readonly kind: string;
  readonly subjectId: string;
  readonly createdTime: string;
  readonly body: string;
}

/**
 * Polls the event feed from now on, or from a cursor. It needs no open port, and also returns events for which no
 * webhook address is configured.
 */
export async function* followFeed(
  client: Tollgate,
  signal: AbortSignal,
  from?: string,
): AsyncGenerator<FeedEntry> {
  let cursor = from ?? (await client.tollgate.inquiryEvents({ cursor: "latest", limit: 1 })).nextCursor;
  while (!signal.aborted) {
    const { events = [], nextCursor } = await client.tollgate.inquiryEvents({ cursor, limit: 100 });
    yield* events;
    cursor = nextCursor;
    await wait(pollIntervalMs, undefined, { signal }).catch(() => undefined);
  }
}
