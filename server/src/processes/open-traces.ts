import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  createChildSpan,
  paymentIdIn,
  writeTraceparent,
  type Span,
  type Trace,
  type Traces,
} from "../telemetry/trace.ts";

/** A span while it is open. */
interface OpenSpan {
  readonly trace: Trace;
  outcome?: string;
}

export interface OpenTraces extends Traces {
  /** Starts to record spans. Before this call, traces have only ids, for log lines and outgoing requests. */
  startRecording(record: (span: Span) => void): void;
}

export function openTraces(): OpenTraces {
  const open = new AsyncLocalStorage<OpenSpan>();
  let record: ((span: Span) => void) | undefined;
  const traces: OpenTraces = {
    startRecording(args) {
      record = args;
    },
    run(trace, step, work) {
      const openSpan: OpenSpan = { trace };
      // Sampling follows the caller's decision.
      if (!record || trace.flags !== "01") return open.run(openSpan, work);
      const [startedMs, recordSpan] = [nowMs(), record];
      const end = (outcome: string): void => {
        const { flags: _, ...part } = trace;
        recordSpan({ ...part, ...step, startedMs, endedMs: nowMs(), outcome: openSpan.outcome ?? outcome });
      };
      const running = open.run(openSpan, work);
      running.then(
        () => end(""),
        () => end("fault"),
      );
      return running;
    },
    send(step, work) {
      const trace = open.getStore()?.trace;
      if (!trace) return work({});
      if (!record) return work({ traceparent: writeTraceparent(trace) });
      const part = createChildSpan(trace, randomUUID());
      return traces.run(part, step, () => work({ traceparent: writeTraceparent(part) }));
    },
    current: () => open.getStore()?.trace,
    recordPayment(about) {
      const trace = open.getStore()?.trace;
      const paymentId = trace && paymentIdIn(about);
      if (trace && paymentId !== undefined) trace.paymentId = paymentId;
    },
    recordOutcome(outcome) {
      const openSpan = open.getStore();
      if (openSpan) openSpan.outcome = outcome;
    },
    logFields() {
      const trace = open.getStore()?.trace;
      if (!trace) return {};
      const { traceId, paymentId } = trace;
      return paymentId === undefined ? { traceId } : { traceId, paymentId };
    },
  };
  return traces;
}

/** The wall clock time with fractions of a millisecond. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
