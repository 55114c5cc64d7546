import assert from "node:assert/strict";
import { metrics, type Metric, type MetricKey, type MetricOf } from "./metric.ts";

/** Counts what a process does, for Prometheus to read. */
export interface Meter {
  /** Counts one more, or so many. Label values stand in the order of the table in metric.ts. */
  add(key: MetricOf<"counter" | "gauge">, labels: readonly string[], by?: number): void;
  set(key: MetricOf<"gauge" | "counter">, labels: readonly string[], value: number): void;
  observe(key: MetricOf<"histogram">, labels: readonly string[], seconds: number): void;
  /** Forgets all series of a gauge, so that what has gone is not shown for ever. */
  clear(key: MetricOf<"gauge">): void;
  /** Registers what brings gauges up to date before each look. */
  beforeLook(look: () => void): void;
  /** All of it in Prometheus' text format. */
  text(): string;
}

/** From a quick inquiry to the longest wait for a wallet. */
const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

interface Histogram {
  /** By bound, each without those below it; the last is for all that took longer. */
  readonly counts: number[];
  sum: number;
}

/** Past so many series a metric takes no new ones: a label that is not from a closed list must not fill the memory. */
const seriesMax = 1_000;

export function newMeter(): Meter {
  const numbers = new Map<MetricKey, Map<string, number>>();
  const histograms = new Map<MetricKey, Map<string, Histogram>>();
  const looks: (() => void)[] = [];

  return {
    add(key, labels, by = 1) {
      const series = seriesOf(numbers, key);
      const name = nameOf(key, labels);
      const before = series.get(name);
      if (before !== undefined || series.size < seriesMax) series.set(name, (before ?? 0) + by);
    },
    set(key, labels, value) {
      const series = seriesOf(numbers, key);
      const name = nameOf(key, labels);
      if (series.has(name) || series.size < seriesMax) series.set(name, value);
    },
    observe(key, labels, seconds) {
      const series = seriesOf(histograms, key);
      const name = nameOf(key, labels);
      const histogram = series.get(name) ?? { counts: [0, ...boundsSeconds.map(() => 0)], sum: 0 };
      if (series.size < seriesMax) series.set(name, histogram);
      const index = boundsSeconds.findIndex((bound) => seconds <= bound);
      const at = index < 0 ? boundsSeconds.length : index;
      histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
      histogram.sum += seconds;
    },
    clear: (key) => seriesOf(numbers, key).clear(),
    beforeLook: (look) => void looks.push(look),
    text() {
      for (const look of looks) look();
      const written = (Object.keys(metrics) as MetricKey[]).flatMap((key) => {
        const lines = [...linesOf(key, numbers.get(key)), ...histogramLines(key, histograms.get(key))];
        return lines.length > 0 ? [...headOf(metrics[key]), ...lines] : [];
      });
      return `${written.join("\n")}\n`;
    },
  };
}

function seriesOf<Value>(all: Map<MetricKey, Map<string, Value>>, key: MetricKey): Map<string, Value> {
  const series = all.get(key) ?? new Map<string, Value>();
  all.set(key, series);
  return series;
}

/** The labels as Prometheus writes them, which is also what tells series apart. */
function nameOf(key: MetricKey, values: readonly string[]): string {
  const { labels }: Metric = metrics[key];
  assert(labels.length === values.length, `${key} has the labels ${labels.join(", ")}.`);
  let name = "";
  for (let index = 0; index < labels.length; index += 1)
    name += `${index > 0 ? "," : ""}${labels[index]}="${escaped(values[index] ?? "")}"`;
  return name;
}

function escaped(value: string): string {
  return /["\\\n]/.test(value)
    ? value.replace(/["\\]/g, (character) => `\\${character}`).replaceAll("\n", String.raw`\n`)
    : value;
}

function headOf({ name, help, kind }: Metric): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
}

function linesOf(key: MetricKey, series: ReadonlyMap<string, number> = new Map()): readonly string[] {
  return [...series].map(([labels, value]) => line(metrics[key].name, labels, value));
}

function histogramLines(
  key: MetricKey,
  series: ReadonlyMap<string, Histogram> = new Map(),
): readonly string[] {
  const { name } = metrics[key];
  return [...series].flatMap(([labels, { counts, sum }]) => {
    const before = labels === "" ? "" : `${labels},`;
    let soFar = 0;
    const buckets = counts.map((count, index) => {
      soFar += count;
      return line(`${name}_bucket`, `${before}le="${boundsSeconds[index] ?? "+Inf"}"`, soFar);
    });
    return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, soFar)];
  });
}

function line(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}
