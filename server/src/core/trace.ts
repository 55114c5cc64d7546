import { addressOf } from "./id.ts";

/** The trace that a call, a callback or a job belongs to, by W3C Trace Context: https://www.w3.org/TR/trace-context/ */
export interface Trace {
  readonly traceId: string;
  /** Names our own part of it to those whom we call. */
  readonly spanId: string;
  /** `01` asks those whom we call to record theirs. */
  readonly flags: string;
  /** The part of whoever called us, or of the call that this one follows from. */
  readonly parentId?: string;
  /** The payment that it is about, as soon as that is known. */
  paymentId?: string;
}

/** What a part of a trace is: a call of somebody's, a job of ours, or a message to somebody else. Words from closed lists. */
export interface Step {
  readonly kind: "call" | "job" | "message";
  readonly name: string;
}

/** A part of a trace that has ended. It tells nothing of buyers, and no address. */
export interface Span extends Step, Omit<Trace, "flags"> {
  readonly startedMs: number;
  readonly endedMs: number;
  /** How it ended: a result code, or `fault` when it threw. */
  readonly outcome: string;
}

/** Keeps the trace of what is under way, across all that it waits for. */
export interface Traces {
  /** Does this as the trace's own part. */
  run<Value>(trace: Trace, step: Step, work: () => Promise<Value>): Promise<Value>;
  /** Sends a message as a part of the current trace, with a header that names it to whom it goes to. */
  send<Value>(step: Step, work: (headers: TraceHeaders) => Promise<Value>): Promise<Value>;
  current(): Trace | undefined;
  /** Notes the payment that is spoken of, for the log lines from here on. */
  about(record: object): void;
  /** Notes how the part that is under way ends. */
  ends(outcome: string): void;
  /** Fields of every log line. */
  readonly line: () => object;
}

export type TraceHeaders = Readonly<Record<string, string>>;

const version00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** A later version may add fields to those of the first; `ff` is none. */
const laterVersion = /^(?!ff|00)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** The trace that came in, or a new one: a header that is invalid, or came twice, is as good as none. */
export function traceFrom(given: readonly string[], uuid: string): Trace {
  const own = uuid.replaceAll("-", "");
  const [header = "", another] = given;
  const [, traceId, parentId = "", flags = ""] =
    (another === undefined && (version00.exec(header) ?? laterVersion.exec(header))) || [];
  const isValid = traceId !== undefined && !isZero(traceId) && !isZero(parentId);
  return {
    traceId: isValid ? traceId : own,
    spanId: own.slice(16),
    ...(isValid && { parentId }),
    flags: !isValid || (Number.parseInt(flags, 16) & 1) === 1 ? "01" : "00",
  };
}

/** A part of a trace that follows from this one. */
export function childOf({ traceId, spanId: parentId, flags, paymentId }: Trace, uuid: string): Trace {
  const spanId = uuid.replaceAll("-", "").slice(16);
  return { traceId, spanId, parentId, flags, ...(paymentId !== undefined && { paymentId }) };
}

export function traceparentOf({ traceId, spanId, flags }: Trace): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** The payment that a request, an answer or a record speaks of, if it does. */
export function paymentIdIn(record: object): string | undefined {
  const { paymentId, subjectId } = record as { readonly paymentId?: unknown; readonly subjectId?: unknown };
  if (typeof paymentId === "string") return paymentId;
  return typeof subjectId === "string" && addressOf(subjectId)?.kind === "payment" ? subjectId : undefined;
}

function isZero(hex: string): boolean {
  return /^0+$/.test(hex);
}
