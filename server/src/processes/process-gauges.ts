import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import type { Meter } from "../telemetry/meter.ts";

/** Measures the process itself: event loop, memory, garbage collection, CPU. Returns the function that stops it. */
export function watchProcess(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) meter.add("collectionSeconds", [], duration / 1000);
  });
  collections.observe({ entryTypes: ["gc"] });
  meter.set("startedSeconds", [], Math.round(performance.timeOrigin / 1000));
  meter.beforeScrape(() => {
    for (const percentile of [50, 99, 100]) {
      const nanoseconds = delay.percentile(percentile);
      meter.set("loopDelaySeconds", [String(percentile)], nanoseconds / 1e9);
    }
    delay.reset();
    const { rss, heapTotal, heapUsed } = process.memoryUsage();
    const parts = { resident: rss, heap: heapTotal, used: heapUsed };
    for (const [part, bytes] of Object.entries(parts)) meter.set("memoryBytes", [part], bytes);
    const { user, system } = process.cpuUsage();
    meter.set("cpuSeconds", [], (user + system) / 1e6);
  });
  return () => {
    delay.disable();
    collections.disconnect();
  };
}
