import type { Meter } from "../telemetry/meter.ts";
import type { Span, SpanName } from "../telemetry/trace.ts";

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

const flushIntervalMs = 1_000;
const batchMax = 512;
/** Maximum number of queued spans: a slow or unreachable collector must not fill the memory. */
const queueLengthMax = 4_096;
const postTimeoutMs = 5_000;
const closeTimeoutMs = 1_000;
const faultLogIntervalMs = 60_000;

/** SpanKind: internal, server, client. */
const otlpKinds: Readonly<Record<SpanName["kind"], number>> = { job: 1, call: 2, message: 3 };

/**
 * Sends ended spans in batches, once a second. Spans that the collector rejects are dropped: payments never wait for
 * telemetry.
 */
export function openSpanExporter(options: SpanExporterOptions): SpanExporter {
  const { url, percent, meter, onFault } = options;
  const queue: Span[] = [];
  let closeDeadlineMs = Infinity;
  let sending: Promise<void> | undefined;
  let loggedAtMs = -Infinity;

  async function sendAll(): Promise<void> {
    while (queue.length > 0 && performance.now() < closeDeadlineMs) {
      const batch = queue.splice(0, batchMax);
      const cause = await post(url, buildExportBody(batch, options.resource));
      meter.add("spans", [cause === undefined ? "sent" : "dropped"], batch.length);
      if (cause !== undefined) logFault(cause);
    }
  }

  /** Logs a fault of the collector at most once a minute, so that an unreachable collector does not fill the log. */
  function logFault(cause: unknown): void {
    if (performance.now() - loggedAtMs < faultLogIntervalMs) return;
    loggedAtMs = performance.now();
    onFault(new Error("The collector accepts no spans.", { cause }));
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => (sending = undefined));
    return sending;
  }

  const timer = setInterval(() => void flush(), flushIntervalMs).unref();
  return {
    record(span) {
      if (!isSampled(span.traceId, percent)) return;
      if (queue.length < queueLengthMax) queue.push(span);
      else meter.add("spans", ["dropped"]);
    },
    async close() {
      clearInterval(timer);
      closeDeadlineMs = performance.now() + closeTimeoutMs;
      await flush();
    },
  };
}

/** Whether a trace is sampled. The trace's id decides, so that all processes choose the same traces. */
function isSampled(traceId: string, percent: number): boolean {
  return Number.parseInt(traceId.slice(-6), 16) * 100 < percent * 0x1000000;
}

/** Sends a batch of spans. Resolves to undefined if the collector accepted it; otherwise to the cause. */
async function post(url: string, body: string): Promise<unknown> {
  try {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(postTimeoutMs);
    const answer = await fetch(url, { method: "POST", redirect: "error", headers, body, signal });
    await answer.body?.cancel();
    return answer.ok ? undefined : `HTTP ${answer.status}`;
  } catch (cause) {
    return cause;
  }
}

function buildExportBody(spans: readonly Span[], resource: SpanExporterOptions["resource"]): string {
  const scopeSpans = [{ scope: { name: "tollgate" }, spans: spans.map(toOtlpSpan) }];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: toOtlpAttributes(resource) }, scopeSpans }],
  });
}

function toOtlpSpan({ kind, parentId, startedMs, endedMs, outcome, paymentId, ...span }: Span): object {
  const isFault = outcome === "fault" || outcome === "UNKNOWN_EXCEPTION";
  const gatewayAttributes = {
    ...(paymentId !== undefined && { "tollgate.payment_id": paymentId }),
    ...(outcome !== "" && { "tollgate.outcome": outcome }),
  };
  return {
    ...span,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    kind: otlpKinds[kind],
    startTimeUnixNano: toNanoseconds(startedMs),
    endTimeUnixNano: toNanoseconds(endedMs),
    attributes: toOtlpAttributes(gatewayAttributes),
    ...(isFault && { status: { code: 2 } }),
  };
}

function toOtlpAttributes(attributes: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** A time as text in nanoseconds, because the number exceeds the precision of JSON numbers. */
function toNanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
}
