import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  childOf,
  paymentIdIn,
  traceparentOf,
  type Span,
  type Trace,
  type Traces,
} from "../telemetry/trace.ts";

/** A span while it is open. */
interface Open {
  readonly trace: Trace;
  outcome?: string;
}

export interface OpenTraces extends Traces {
  /** Starts to record spans. Before this call, traces have only ids, for log lines and outgoing requests. */
  recordBy(record: (span: Span) => void): void;
}

export function openTraces(): OpenTraces {
  const open = new AsyncLocalStorage<Open>();
  let record: ((span: Span) => void) | undefined;
  const traces: OpenTraces = {
    recordBy(given) {
      record = given;
    },
    run(trace, step, work) {
      const own: Open = { trace };
      // Sampling follows the caller's decision.
      if (!record || trace.flags !== "01") return open.run(own, work);
      const [startedMs, keep] = [nowMs(), record];
      const end = (outcome: string): void => {
        const { flags: _, ...part } = trace;
        keep({ ...part, ...step, startedMs, endedMs: nowMs(), outcome: own.outcome ?? outcome });
      };
      const running = open.run(own, work);
      running.then(
        () => end(""),
        () => end("fault"),
      );
      return running;
    },
    send(step, work) {
      const trace = open.getStore()?.trace;
      if (!trace) return work({});
      if (!record) return work({ traceparent: traceparentOf(trace) });
      const part = childOf(trace, randomUUID());
      return traces.run(part, step, () => work({ traceparent: traceparentOf(part) }));
    },
    current: () => open.getStore()?.trace,
    about(about) {
      const trace = open.getStore()?.trace;
      const paymentId = trace && paymentIdIn(about);
      if (trace && paymentId !== undefined) trace.paymentId = paymentId;
    },
    ends(outcome) {
      const own = open.getStore();
      if (own) own.outcome = outcome;
    },
    line() {
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
