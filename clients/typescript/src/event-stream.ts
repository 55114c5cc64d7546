import { utf8 } from "./bytes.ts";
import { signedRequest, type Settings } from "./caller.ts";
import { ConnectionError, MalformedResponseError, SignatureVerificationError } from "./errors.ts";
import { objectIn, readNotification, type ToldEvent } from "./notification.ts";
import type { StreamResponse, Transport } from "./transport.ts";
import { timeProblem, verify } from "./verify.ts";

/** The gateway says something every 15 s, if only that it is there. */
const silenceMsMax = 45_000;
/** Whoever sends lines without end must not fill the memory. */
const blockCharactersMax = 4 * 1024 * 1024;
const operation = "tollgate/inquiryEvents";

interface Following {
  readonly settings: Settings;
  readonly stream: NonNullable<Transport["stream"]>;
  readonly toleranceSeconds: number;
}

/**
 * Events as they happen, behind a cursor, until the connection ends: the gateway ends it every quarter of an hour. Each is
 * signed like a notification to the operation's own path, and verified before it is read.
 */
export async function* streamedEvents(
  { settings, stream, toleranceSeconds }: Following,
  cursor: string,
  signal: AbortSignal,
): AsyncGenerator<ToldEvent> {
  const watch = watchOf(signal);
  try {
    const request = await signedRequest(settings, operation, { follow: true, cursor }, watch.signal);
    const response = await stream(request).catch(brokenOff);
    if (!isEventStream(response)) throw new ConnectionError("The gateway answered with no stream.");
    for await (const block of blocksIn(heard(response.body, watch.isThere)))
      if (block.has("data")) yield await eventIn(block, request.path, settings, toleranceSeconds);
  } finally {
    watch.end();
  }
}

/** A refusal is JSON, and so is whatever is wrong: the pages that are read next tell it with all that belongs to it. */
function isEventStream({ status, headers }: StreamResponse): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return status === 200 && type.startsWith("text/event-stream");
}

interface Watch {
  readonly signal: AbortSignal;
  readonly isThere: () => void;
  end(): void;
}

/** Aborts when nothing was heard for too long: a line that is cut says nothing. */
function watchOf(outer: AbortSignal): Watch {
  const controller = new AbortController();
  const stop = (): void => controller.abort(outer.reason);
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  const fall = (): void =>
    controller.abort(new ConnectionError(`The stream was silent for ${silenceMsMax} ms.`));
  let timer = setTimeout(fall, silenceMsMax);
  return {
    signal: controller.signal,
    isThere() {
      clearTimeout(timer);
      timer = setTimeout(fall, silenceMsMax);
    },
    end() {
      clearTimeout(timer);
      outer.removeEventListener("abort", stop);
      controller.abort();
    },
  };
}

function brokenOff(cause: unknown): never {
  throw new ConnectionError("The stream broke off.", { operation }, cause);
}

async function* heard(chunks: AsyncIterable<Uint8Array>, isThere: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      isThere();
      yield chunk;
    }
  } catch (cause) {
    brokenOff(cause);
  }
}

/** Server-sent events: blocks of lines `name: value`, with a blank line behind each. */
async function* blocksIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyMap<string, string>> {
  const decoder = new TextDecoder();
  let unread = "";
  for await (const chunk of chunks) {
    const blocks = (unread + decoder.decode(chunk, { stream: true })).split("\n\n");
    unread = blocks.pop() ?? "";
    if (unread.length > blockCharactersMax) throw new ConnectionError("The stream has an event without end.");
    for (const block of blocks) yield fieldsOf(block);
  }
}

function fieldsOf(block: string): ReadonlyMap<string, string> {
  return new Map(
    block.split("\n").map((line) => {
      const [name = ""] = line.split(":", 1);
      return [name, line.slice(name.length + 1).replace(/^ /, "")];
    }),
  );
}

async function eventIn(
  block: ReadonlyMap<string, string>,
  path: string,
  { clientId, gatewayKeys, clock }: Settings,
  toleranceSeconds: number,
): Promise<ToldEvent> {
  const { requestTime, signature, body } = signedPart(block.get("data"));
  const bytes = utf8(body);
  const headers = [
    ["request-time", requestTime],
    ["signature", signature],
  ] as const;
  const verified = await verify(
    { kind: "webhook", method: "POST", path, clientId, headers, body: bytes },
    gatewayKeys,
  );
  if (typeof verified === "string") throw new SignatureVerificationError(verified);
  const late = timeProblem(verified.time, clock.now(), toleranceSeconds);
  // Whoever was busy for so long reads it from a page, which is signed anew.
  if (late === "STALE") throw new ConnectionError("The stream has grown old while nobody read it.");
  if (late) throw new SignatureVerificationError(late);
  const cursor = block.get("id");
  if (cursor === undefined) throw malformed();
  return { ...(await readNotification(bytes)), cursor };
}

function malformed(): MalformedResponseError {
  return new MalformedResponseError("The stream has an event that is none.", { operation });
}

interface SignedPart {
  readonly requestTime: string;
  readonly signature: string;
  readonly body: string;
}

function signedPart(data = ""): SignedPart {
  const { requestTime, signature, body } = objectIn(utf8(data)) ?? {};
  if (typeof signature !== "string") throw new SignatureVerificationError("MISSING_SIGNATURE");
  if (typeof requestTime !== "string") throw new SignatureVerificationError("MISSING_TIME");
  if (typeof body !== "string") throw malformed();
  return { requestTime, signature, body };
}
