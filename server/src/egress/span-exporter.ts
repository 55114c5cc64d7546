import type { Meter } from "../telemetry/meter.ts";
import type { Span, Step } from "../telemetry/trace.ts";

export interface SpanExporterOptions {
  /** The URL of the collector (OTLP over HTTP), such as http://127.0.0.1:4318/v1/traces. */
  readonly url: string;
  /** Sampling rate: percent of traces. */
  readonly percent: number;
  /** The sender of the spans: `service.name` and other attributes that distinguish processes. */
  readonly resource: Readonly<Record<string, string>>;
  readonly meter: Meter;
  readonly onFault: (cause: unknown) => void;
}

export interface SpanExporter {
  record(span: Span): void;
  /** Sends the remaining spans, with the timeout of one batch: a hanging collector must not delay a restart. */
  close(): Promise<void>;
}

const everyMs = 1_000;
const batchMax = 512;
/** Maximum number of queued spans: a slow or unreachable collector must not fill the memory. */
const heldMax = 4_096;
const timeoutMs = 5_000;
const closeMs = 1_000;
const alertEveryMs = 60_000;

/** SpanKind: internal, server, client. */
const kinds: Readonly<Record<Step["kind"], number>> = { job: 1, call: 2, message: 3 };

/**
 * Sends ended spans in batches, once a second. Spans that the collector rejects are dropped: payments never wait for
 * telemetry.
 */
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

  /** Logs a fault of the collector at most once a minute, so that an unreachable collector does not fill the log. */
  function tell(cause: unknown): void {
    if (performance.now() - toldAtMs < alertEveryMs) return;
    toldAtMs = performance.now();
    onFault(new Error("The collector accepts no spans.", { cause }));
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

/** Whether a trace is sampled. The trace's id decides, so that all processes choose the same traces. */
function isChosen(traceId: string, percent: number): boolean {
  return Number.parseInt(traceId.slice(-6), 16) * 100 < percent * 0x1000000;
}

/** Sends a batch of spans. Resolves to undefined if the collector accepted it; otherwise to the cause. */
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

/** A time as text in nanoseconds, because the number exceeds the precision of JSON numbers. */
function nanosOf(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
}
