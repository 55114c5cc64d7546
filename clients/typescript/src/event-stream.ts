import { utf8 } from "./bytes.ts";
import { signedRequest, type Settings } from "./caller.ts";
import { ConnectionError, MalformedResponseError, SignatureVerificationError } from "./errors.ts";
import { objectIn, readNotification, type ToldEvent } from "./notification.ts";
import type { StreamResponse, Transport } from "./transport.ts";
import { timeProblem, verify } from "./verify.ts";

/** The longest time without data: the gateway sends at least a heartbeat every 15 s. */
const silenceMsMax = 45_000;
/** The maximum size of a block, because a sender could otherwise fill the memory with an endless block. */
const blockCharactersMax = 4 * 1024 * 1024;
const operation = "tollgate/inquiryEvents";

interface Following {
  readonly settings: Settings;
  readonly stream: NonNullable<Transport["stream"]>;
  readonly toleranceSeconds: number;
}

/**
 * Streams events after a cursor until the connection ends; the gateway ends it every 15 minutes. Each event
 * is signed like a webhook to the operation's own path, and is verified before it is parsed.
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
    if (!isEventStream(response)) throw new ConnectionError("The gateway did not respond with a stream.");
    for await (const block of blocksIn(heard(response.body, watch.isThere)))
      if (block.has("data")) yield await eventIn(block, request.path, settings, toleranceSeconds);
  } finally {
    watch.end();
  }
}

/**
 * The gateway returns an error as a JSON response and not as a stream. The page request that follows returns
 * this error with all details.
 */
function isEventStream({ status, headers }: StreamResponse): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return status === 200 && type.startsWith("text/event-stream");
}

interface Watch {
  readonly signal: AbortSignal;
  readonly isThere: () => void;
  end(): void;
}

/** Aborts if no data arrives for too long, because a broken connection may not report an error. */
function watchOf(outer: AbortSignal): Watch {
  const controller = new AbortController();
  const stop = (): void => controller.abort(outer.reason);
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  const fall = (): void =>
    controller.abort(new ConnectionError(`The stream sent no data for ${silenceMsMax} ms.`));
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
  throw new ConnectionError("The connection of the stream broke.", { operation }, cause);
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

/** Parses server-sent events: blocks of lines `name: value`, each with a blank line after it. */
async function* blocksIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyMap<string, string>> {
  const decoder = new TextDecoder();
  let unread = "";
  for await (const chunk of chunks) {
    const blocks = (unread + decoder.decode(chunk, { stream: true })).split("\n\n");
    unread = blocks.pop() ?? "";
    if (unread.length > blockCharactersMax) throw new ConnectionError("An event of the stream is too long.");
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
  // The event is too old, because the caller was busy for too long. The caller gets the event from a page
  // instead, which has a new signature.
  if (late === "STALE") throw new ConnectionError("The event was read too late: its signature is too old.");
  if (late) throw new SignatureVerificationError(late);
  const cursor = block.get("id");
  if (cursor === undefined) throw malformed();
  return { ...(await readNotification(bytes)), cursor };
}

function malformed(): MalformedResponseError {
  return new MalformedResponseError("An event of the stream is malformed.", { operation });
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
