import { parseId } from "../core/id.ts";

/** The trace of a request, a callback or a job, by W3C Trace Context: https://www.w3.org/TR/trace-context/ */
export interface Trace {
  readonly traceId: string;
  /** The id of this process's own span, sent to the services that it calls. */
  readonly spanId: string;
  /** Trace flags. `01` requests the services that this process calls to record their spans. */
  readonly flags: string;
  /** The caller's span, or the span of the request that caused this one. */
  readonly parentId?: string;
  /** The payment of the trace, as soon as it is known. */
  paymentId?: string;
}

/** The kind of a span: a received request, a job, or a sent message. Its values are from closed lists. */
export interface SpanName {
  readonly kind: "call" | "job" | "message";
  readonly name: string;
}

/** A completed span. It contains no buyer data and no address. */
export interface Span extends SpanName, Omit<Trace, "flags"> {
  readonly startedMs: number;
  readonly endedMs: number;
  /** The outcome: a result code, or `fault` if the span's work threw. */
  readonly outcome: string;
}

/** Tracks the current trace across asynchronous work. */
export interface Traces {
  /** Runs work as the trace's own span. */
  run<Value>(trace: Trace, step: SpanName, work: () => Promise<Value>): Promise<Value>;
  /** Sends a message as a span of the current trace, with a header for the receiver. */
  send<Value>(step: SpanName, work: (headers: TraceHeaders) => Promise<Value>): Promise<Value>;
  current(): Trace | undefined;
  /** Records the payment of the current trace, for later log lines. */
  recordPayment(record: object): void;
  /** Records the outcome of the current span. */
  recordOutcome(outcome: string): void;
  /** Fields of every log line. */
  readonly logFields: () => object;
}

export type TraceHeaders = Readonly<Record<string, string>>;

const version00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/**
 * The header of a later version of the specification, which may have additional fields. The version `ff` is invalid.
 */
const laterVersion = /^(?!ff|00)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Returns the received trace, or a new one if the header is missing, invalid or duplicate. */
export function readTrace(headers: readonly string[], uuid: string): Trace {
  const newTraceId = uuid.replaceAll("-", "");
  const [header = "", secondHeader] = headers;
  const [, traceId, parentId = "", flags = ""] =
    (secondHeader === undefined && (version00.exec(header) ?? laterVersion.exec(header))) || [];
  const isValid = traceId !== undefined && !isZero(traceId) && !isZero(parentId);
  return {
    traceId: isValid ? traceId : newTraceId,
    spanId: newTraceId.slice(16),
    ...(isValid && { parentId }),
    flags: !isValid || (Number.parseInt(flags, 16) & 1) === 1 ? "01" : "00",
  };
}

/** A child span. */
export function createChildSpan({ traceId, spanId: parentId, flags, paymentId }: Trace, uuid: string): Trace {
  const spanId = uuid.replaceAll("-", "").slice(16);
  return { traceId, spanId, parentId, flags, ...(paymentId !== undefined && { paymentId }) };
}

export function writeTraceparent({ traceId, spanId, flags }: Trace): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** The payment id in a request, a response or a record, if there is one. */
export function paymentIdIn(record: object): string | undefined {
  const { paymentId, subjectId } = record as { readonly paymentId?: unknown; readonly subjectId?: unknown };
  if (typeof paymentId === "string") return paymentId;
  return typeof subjectId === "string" && parseId(subjectId)?.kind === "payment" ? subjectId : undefined;
}

function isZero(hex: string): boolean {
  return /^0+$/.test(hex);
}
