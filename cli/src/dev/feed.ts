import { setTimeout as wait } from "node:timers/promises";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";

const askEveryMs = 400;

/** An entry of the feed. */
export interface Told {
  readonly kind: string;
  readonly subjectId: string;
  readonly createdTime: string;
  readonly body: string;
}

/**
 * Whatever the merchant is told from now on, by asking for the feed again and again (polling): it needs no open port, and
 * sees also what no address was given for.
 */
export async function* feedOf(client: Tollgate, leaving: AbortSignal): AsyncGenerator<Told> {
  let { nextCursor: cursor } = await client.tollgate.inquiryEvents({ cursor: "latest" });
  while (!leaving.aborted) {
    const { events = [], nextCursor } = await client.tollgate.inquiryEvents({ cursor, limit: 100 });
    yield* events;
    cursor = nextCursor;
    await wait(askEveryMs, undefined, { signal: leaving }).catch(() => undefined);
  }
}
