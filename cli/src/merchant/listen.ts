import { setTimeout as wait } from "node:timers/promises";
import { styleText } from "node:util";
import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { openEventStream, type StreamedEvent } from "./event-stream.ts";
import { feedOf } from "./feed.ts";
import { forward, type Forwarded } from "./forward.ts";
import { findGateway, type KnownGateway } from "./known-gateway.ts";

const reconnectMs = 1_000;

/**
 * Shows all new events of the merchant, and forwards them if `--forward-to` is set. It needs no open port, and also
 * shows events for which no webhook address is configured.
 */
export async function listen(given: Given): Promise<void> {
  const url = addressOf(given.value("forward-to"));
  const gateway = await findGateway(given.value("folder"));
  const leaving = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => leaving.abort());
  const { nextCursor = "0" } = await gateway.client.tollgate.inquiryEvents({ cursor: "latest", limit: 1 });
  const listening: Listening = {
    gateway,
    cursor: given.value("from") ?? nextCursor,
    isForPrograms: given.has("json"),
    signal: leaving.signal,
  };
  if (!listening.isForPrograms) {
    const where = url === undefined ? "" : `, and forwarding them to ${url}`;
    process.stderr.write(`Listening for webhooks${where}; Ctrl-C stops it.\n`);
  }
  await (url === undefined ? show(listening) : passOn(listening, url));
}

interface Listening {
  readonly gateway: KnownGateway;
  /** The position in the feed at which `listen` begins. */
  readonly cursor: string;
  readonly isForPrograms: boolean;
  readonly signal: AbortSignal;
}

async function show({ gateway, cursor, isForPrograms, signal }: Listening): Promise<void> {
  for await (const event of feedOf(gateway.client, signal, cursor)) {
    const { kind, createdTime, body, subjectId } = event;
    print(isForPrograms ? JSON.stringify(event) : lineOf(kind, createdTime, body, subjectId));
  }
}

/** Forwards the events of the stream to the address. The gateway signs them for this address. */
async function passOn(
  { gateway: { caller }, cursor: first, isForPrograms, signal }: Listening,
  url: string,
): Promise<void> {
  let cursor = first;
  let state: "new" | "open" | "lost" = "new";
  while (!signal.aborted) {
    try {
      const events = await openEventStream(caller, { cursor, forwardUrl: url }, signal);
      state = "open";
      for await (const event of events) {
        const forwarded = await forward(event, caller.clientId, url);
        print(isForPrograms ? JSON.stringify({ ...event, ...forwarded }) : forwardedLine(event, forwarded));
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

function addressOf(text: string | undefined): string | undefined {
  if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new UsageError(
    `--forward-to needs an address such as http://127.0.0.1:3000/notify, and ${text} is not one.`,
  );
}

function forwardedLine({ kind, body, cursor }: StreamedEvent, forwarded: Forwarded): string {
  const { isAcknowledged, httpStatus, failure = "", ms } = forwarded;
  const end = isAcknowledged ? styleText("green", `${httpStatus}, acknowledged`) : styleText("red", failure);
  const again = isAcknowledged ? "" : `; again: --from ${Number(cursor) - 1}`;
  return `${lineOf(kind, new Date().toISOString(), body)}  ${end}, ${ms} ms${again}`;
}

function lineOf(kind: string, time: string, body: string, subjectId?: string): string {
  const told = JSON.parse(body) as Told;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const end = subjectId === undefined ? [] : [subjectId];
  return [clock, kind.padEnd(24), whatOf(told).padEnd(28), ...end].join("  ");
}

interface Told {
  readonly result?: { readonly resultCode?: string };
  readonly authorizationNotifyType?: string;
  readonly disputeNotificationType?: string;
}

/** Describes an event in one word: its result code, or the new state of a consent or a dispute. */
function whatOf({ result, authorizationNotifyType, disputeNotificationType }: Told): string {
  return disputeNotificationType ?? authorizationNotifyType ?? result?.resultCode ?? "";
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
