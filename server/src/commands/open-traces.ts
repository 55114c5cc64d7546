import { AsyncLocalStorage } from "node:async_hooks";
import { paymentIdIn, traceparentOf, type Trace, type Traces } from "../core/trace.ts";

export function openTraces(): Traces {
  const traces = new AsyncLocalStorage<Trace>();
  return {
    run: (trace, work) => traces.run(trace, work),
    current: () => traces.getStore(),
    about(record) {
      const trace = traces.getStore();
      const paymentId = trace && paymentIdIn(record);
      if (trace && paymentId !== undefined) trace.paymentId = paymentId;
    },
    line() {
      const trace = traces.getStore();
      if (!trace) return {};
      const { traceId, paymentId } = trace;
      return paymentId === undefined ? { traceId } : { traceId, paymentId };
    },
    headers() {
      const trace = traces.getStore();
      return trace ? { traceparent: traceparentOf(trace) } : {};
    },
  };
}
