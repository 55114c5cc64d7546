import type { Meter } from "../core/meter.ts";
import type { Span, Step } from "../core/trace.ts";

export interface SpanExporterOptions {
  /** Collector that speaks OpenTelemetry's protocol over HTTP, such as http://127.0.0.1:4318/v1/traces. */
  readonly url: string;
  /** Sampling: of how many traces in a hundred. */
  readonly percent: number;
  /** Names the sender: `service.name` and whatever else tells processes apart. */
  readonly resource: Readonly<Record<string, string>>;
  readonly meter: Meter;
  readonly onFault: (cause: unknown) => void;
}

export interface SpanExporter {
  record(span: Span): void;
  /** Sends what is left, for as long as a batch may take: a collector that hangs must not hold up a restart. */
  close(): Promise<void>;
}

const everyMs = 1_000;
const batchMax = 512;
/** Back-pressure: a collector that is slow or away must not fill the memory. */
const heldMax = 4_096;
const timeoutMs = 5_000;
const closeMs = 1_000;
const alertEveryMs = 60_000;

/** SpanKind: internal, server, client. */
const kinds: Readonly<Record<Step["kind"], number>> = { job: 1, call: 2, message: 3 };

/** Sends ended spans in batches, once a second. One that the collector does not take is dropped: payments wait for no telemetry. */
export function openSpanExporter(options: SpanExporterOptions): SpanExporter {
  const { url, percent, meter, onFault } = options;
  const held: Span[] = [];
  let giveUpAtMs = Infinity;
  let sending: Promise<void> | undefined;
  let toldAtMs = -Infinity;

  async function sendAll(): Promise<void> {
    while (held.length > 0 && performance.now() < giveUpAtMs) {
      const batch = held.splice(0, batchMax);
      const cause = await post(url, bodyOf(batch, options.resource));
      meter.add("spans", [cause === undefined ? "sent" : "dropped"], batch.length);
      if (cause !== undefined) tell(cause);
    }
  }

  /** At most once a minute: a collector that is away is no news every second. */
  function tell(cause: unknown): void {
    if (performance.now() - toldAtMs < alertEveryMs) return;
    toldAtMs = performance.now();
    onFault(new Error("The collector takes no spans.", { cause }));
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => (sending = undefined));
    return sending;
  }

  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    record(span) {
      if (!isChosen(span.traceId, percent)) return;
      if (held.length < heldMax) held.push(span);
      else meter.add("spans", ["dropped"]);
    },
    async close() {
      clearInterval(timer);
      giveUpAtMs = performance.now() + closeMs;
      await flush();
    },
  };
}

/** By the trace's id, so that all processes choose the same traces. */
function isChosen(traceId: string, percent: number): boolean {
  return Number.parseInt(traceId.slice(-6), 16) * 100 < percent * 0x1000000;
}

/** Undefined when it was taken; otherwise why not. */
async function post(url: string, body: string): Promise<unknown> {
  try {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { method: "POST", redirect: "error", headers, body, signal });
    await answer.body?.cancel();
    return answer.ok ? undefined : `HTTP ${answer.status}`;
  } catch (cause) {
    return cause;
  }
}

function bodyOf(spans: readonly Span[], resource: SpanExporterOptions["resource"]): string {
  const scopeSpans = [{ scope: { name: "tollgate" }, spans: spans.map(spanOf) }];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }],
  });
}

function spanOf({ kind, parentId, startedMs, endedMs, outcome, paymentId, ...span }: Span): object {
  const isFault = outcome === "fault" || outcome === "UNKNOWN_EXCEPTION";
  const about = {
    ...(paymentId !== undefined && { "tollgate.payment_id": paymentId }),
    ...(outcome !== "" && { "tollgate.outcome": outcome }),
  };
  return {
    ...span,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    kind: kinds[kind],
    startTimeUnixNano: nanosOf(startedMs),
    endTimeUnixNano: nanosOf(endedMs),
    attributes: attributesOf(about),
    ...(isFault && { status: { code: 2 } }),
  };
}

function attributesOf(words: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(words).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** As text: it is past what a number of JSON can hold. */
function nanosOf(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
}
