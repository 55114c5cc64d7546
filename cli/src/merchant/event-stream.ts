import type { Caller } from "./configured-gateway.ts";
import { sendSigned } from "./signed-request.ts";

/** An event of the feed as it is streamed, signed like a webhook to the address that receives it. */
export interface StreamedEvent {
  /** The cursor after which to continue. */
  readonly cursor: string;
  readonly kind: string;
  readonly requestTime: string;
  readonly signature: string;
  /** The exact bytes of the webhook's body. */
  readonly body: string;
}

const operation = "tollgate/inquiryEvents";

/** Opens the stream after a cursor. It ends after at most 15 minutes, and the caller opens it again. */
export async function openEventStream(
  caller: Caller,
  { cursor, forwardUrl }: { readonly cursor: string; readonly forwardUrl: string },
  signal: AbortSignal,
): Promise<AsyncIterable<StreamedEvent>> {
  const body = JSON.stringify({ follow: true, cursor, forwardUrl });
  const response = await sendSigned(caller, { operation, body }, signal);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (!isStream || !response.body) throw new Error(await readRejection(response));
  return parseEvents(response.body.pipeThrough(new TextDecoderStream()));
}

/** Parses server-sent events: blocks of lines, each followed by a blank line. */
export async function* parseEvents(text: AsyncIterable<string>): AsyncIterable<StreamedEvent> {
  let buffered = "";
  for await (const chunk of text) {
    const blocks = (buffered + chunk).split("\n\n");
    buffered = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

/**
 * Parses one block of the stream. Returns undefined for a heartbeat and for a reconnection time, which are not events.
 */
function parseEvent(block: string): StreamedEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const [name = ""] = line.split(":", 1);
      return [name, line.slice(name.length + 1).trimStart()];
    }),
  );
  const [cursor, kind, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
  if (cursor === undefined || kind === undefined || data === undefined) return undefined;
  return { cursor, kind, ...(JSON.parse(data) as Omit<StreamedEvent, "cursor" | "kind">) };
}

async function readRejection(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { result } = JSON.parse(text) as { readonly result: Readonly<Record<string, string>> };
    return [result["resultCode"], result["resultMessage"], result["resultHint"]].filter(Boolean).join(" ");
  } catch {
    return `The gateway answered ${response.status} instead of a stream.`;
  }
}
