import { setTimeout as wait } from "node:timers/promises";
import type { Given } from "../../../server/src/commands/command.ts";
import { findGateway } from "./known-gateway.ts";

const askEveryMs = 400;

/**
 * Shows whatever the merchant is told from now on, by asking for the feed again and again (polling): it needs no open port,
 * and sees also what no address was given for.
 */
export async function listen(given: Given): Promise<void> {
  const { client } = await findGateway(given.value("folder"));
  const leaving = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => leaving.abort());
  let { nextCursor: cursor } = await client.tollgate.inquiryEvents({ cursor: "latest" });
  if (!given.has("json")) process.stderr.write("Listening for notifications; Ctrl-C ends it.\n");
  while (!leaving.signal.aborted) {
    const { events = [], nextCursor } = await client.tollgate.inquiryEvents({ cursor, limit: 100 });
    for (const event of events)
      process.stdout.write(given.has("json") ? `${JSON.stringify(event)}\n` : lineOf(event));
    cursor = nextCursor;
    await wait(askEveryMs, undefined, { signal: leaving.signal }).catch(() => undefined);
  }
}

interface Told {
  readonly kind: string;
  readonly subjectId: string;
  readonly createdTime: string;
  readonly body: string;
}

function lineOf({ kind, subjectId, createdTime, body }: Told): string {
  const { result } = JSON.parse(body) as { readonly result?: { readonly resultCode?: string } };
  const time = new Date(createdTime).toTimeString().slice(0, 8);
  return `${time}  ${kind.padEnd(24)}  ${(result?.resultCode ?? "").padEnd(28)}  ${subjectId}\n`;
}
