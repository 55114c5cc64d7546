import { setTimeout as wait } from "node:timers/promises";
import { styleText } from "node:util";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { openEventStream, type StreamedEvent } from "./event-stream.ts";
import { followFeed } from "./feed.ts";
import { forwardEvent, type ForwardResult } from "./forward.ts";
import { findGateway, type ConfiguredGateway } from "./configured-gateway.ts";

const reconnectMs = 1_000;

/**
 * Shows all new events of the merchant, and forwards them if `--forward-to` is set. It needs no open port, and also
 * shows events for which no webhook address is configured.
 */
export async function listen(args: CommandArguments): Promise<void> {
  const url = validateUrl(args.value("forward-to"));
  const gateway = await findGateway(args.value("folder"));
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopping.abort());
  const { nextCursor = "0" } = await gateway.client.tollgate.inquiryEvents({ cursor: "latest", limit: 1 });
  const settings: ListenSettings = {
    gateway,
    cursor: args.value("from") ?? nextCursor,
    isForPrograms: args.has("json"),
    signal: stopping.signal,
  };
  if (!settings.isForPrograms) {
    const destination = url === undefined ? "" : `, and forwarding them to ${url}`;
    process.stderr.write(`Listening for webhooks${destination}; Ctrl-C stops it.\n`);
  }
  await (url === undefined ? printEvents(settings) : forwardEvents(settings, url));
}

interface ListenSettings {
  readonly gateway: ConfiguredGateway;
  /** The position in the feed at which `listen` begins. */
  readonly cursor: string;
  readonly isForPrograms: boolean;
  readonly signal: AbortSignal;
}

async function printEvents({ gateway, cursor, isForPrograms, signal }: ListenSettings): Promise<void> {
  for await (const event of followFeed(gateway.client, signal, cursor)) {
    const { kind, createdTime, body, subjectId } = event;
    print(isForPrograms ? JSON.stringify(event) : formatEvent(kind, createdTime, body, subjectId));
  }
}

/** Forwards the events of the stream to the address. The gateway signs them for this address. */
async function forwardEvents(
  { gateway: { caller }, cursor: firstCursor, isForPrograms, signal }: ListenSettings,
  url: string,
): Promise<void> {
  let cursor = firstCursor;
  let state: "new" | "open" | "lost" = "new";
  while (!signal.aborted) {
    try {
      const events = await openEventStream(caller, { cursor, forwardUrl: url }, signal);
      state = "open";
      for await (const event of events) {
        const forwarded = await forwardEvent(event, caller.clientId, url);
        print(isForPrograms ? JSON.stringify({ ...event, ...forwarded }) : formatForwarded(event, forwarded));
        ({ cursor } = event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (state === "new") throw error;
      // If the gateway restarts or is unreachable for a while, the events after the cursor are not lost.
      if (state === "open")
        process.stderr.write("The gateway is not reachable; retrying, no event is lost.\n");
      state = "lost";
    }
    await wait(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}

function validateUrl(text: string | undefined): string | undefined {
  if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new UsageError(
    `--forward-to needs an address such as http://127.0.0.1:3000/notify, and ${text} is not one.`,
  );
}

function formatForwarded({ kind, body, cursor }: StreamedEvent, result: ForwardResult): string {
  const { isAcknowledged, httpStatus, failure = "", ms } = result;
  const outcome = isAcknowledged
    ? styleText("green", `${httpStatus}, acknowledged`)
    : styleText("red", failure);
  const resumeHint = isAcknowledged ? "" : `; again: --from ${Number(cursor) - 1}`;
  return `${formatEvent(kind, new Date().toISOString(), body)}  ${outcome}, ${ms} ms${resumeHint}`;
}

function formatEvent(kind: string, time: string, body: string, subjectId?: string): string {
  const notification = JSON.parse(body) as NotificationBody;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const suffix = subjectId === undefined ? [] : [subjectId];
  return [clock, kind.padEnd(24), describeOutcome(notification).padEnd(28), ...suffix].join("  ");
}

interface NotificationBody {
  readonly result?: { readonly resultCode?: string };
  readonly authorizationNotifyType?: string;
  readonly disputeNotificationType?: string;
}

/** Describes an event in one word: its result code, or the new state of a consent or a dispute. */
function describeOutcome({
  result,
  authorizationNotifyType,
  disputeNotificationType,
}: NotificationBody): string {
  return disputeNotificationType ?? authorizationNotifyType ?? result?.resultCode ?? "";
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
