import assert from "node:assert/strict";
import { metrics, type Metric, type MetricKey, type MetricOf } from "./metric.ts";

/** The metrics of a process, for Prometheus. */
export interface Meter {
  /** Adds one, or `by`, to a counter or gauge. The label values are in the order of the table in metric.ts. */
  add(key: MetricOf<"counter" | "gauge">, labels: readonly string[], by?: number): void;
  set(key: MetricOf<"gauge" | "counter">, labels: readonly string[], value: number): void;
  observe(key: MetricOf<"histogram">, labels: readonly string[], seconds: number): void;
  /** Deletes all series of a gauge, so that outdated series disappear. */
  clear(key: MetricOf<"gauge">): void;
  /** Registers a function that updates gauges before each scrape. */
  beforeScrape(hook: () => void): void;
  /** All metrics in Prometheus' text format. */
  text(): string;
}

/** Bucket bounds of histograms in seconds, from a quick inquiry to the longest wait for a provider. */
const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Maximum number of series per metric: a label that is not from a closed list must not fill the memory. */
const seriesMax = 1_000;

export function newMeter(): Meter {
  const families = new Map(
    (Object.keys(metrics) as MetricKey[]).map((key) => [key, newFamily(metrics[key])]),
  );
  const scrapeHooks: (() => void)[] = [];
  const seriesOf = (key: MetricKey, labels: readonly string[]): Series | undefined =>
    families.get(key)?.find(labels);

  return {
    add(key, labels, by = 1) {
      const series = seriesOf(key, labels);
      if (series) series.value += by;
    },
    set(key, labels, value) {
      const series = seriesOf(key, labels);
      if (series) series.value = value;
    },
    observe(key, labels, seconds) {
      const series = seriesOf(key, labels);
      if (!series) return;
      let at = 0;
      while (at < boundsSeconds.length && seconds > (boundsSeconds[at] ?? 0)) at += 1;
      series.buckets[at] = (series.buckets[at] ?? 0) + 1;
      series.value += seconds;
    },
    clear: (key) => families.get(key)?.clear(),
    beforeScrape: (hook) => void scrapeHooks.push(hook),
    text() {
      for (const hook of scrapeHooks) hook();
      return `${[...families.values()].flatMap((family) => family.lines()).join("\n")}\n`;
    },
  };
}

/** One line of a metric, or the lines of one histogram. */
interface Series {
  /** In Prometheus' format, built once. */
  readonly labels: string;
  /** The sum, for a histogram. */
  value: number;
  /** Counts of a histogram by bound, not cumulative. The last count is for durations above all bounds. */
  readonly buckets: number[];
}

/** A metric with its series. */
interface Family {
  /** Returns the series of these labels, and creates it if it is new; undefined above the limit. */
  find(labels: readonly string[]): Series | undefined;
  clear(): void;
  lines(): readonly string[];
}

/** A tree of labels. Counting walks the tree with one look-up for each label, and builds no text. */
interface LabelNode {
  readonly next: Map<string, LabelNode>;
  series?: Series;
}

function newFamily(metric: Metric): Family {
  let root: LabelNode = { next: new Map() };
  let all: Series[] = [];

  function addSeries(node: LabelNode, values: readonly string[]): Series | undefined {
    assert(values.length === metric.labels.length, `${metric.name} has ${metric.labels.length} labels.`);
    if (all.length >= seriesMax) return undefined;
    const buckets = metric.kind === "histogram" ? [0, ...boundsSeconds.map(() => 0)] : [];
    node.series = { labels: labelsText(metric, values), value: 0, buckets };
    all.push(node.series);
    return node.series;
  }

  return {
    find(values) {
      let node = root;
      for (const value of values) {
        let next = node.next.get(value);
        if (!next) {
          if (all.length >= seriesMax) return undefined;
          next = { next: new Map() };
          node.next.set(value, next);
        }
        node = next;
      }
      return node.series ?? addSeries(node, values);
    },
    clear() {
      root = { next: new Map() };
      all = [];
    },
    lines: () =>
      all.length === 0 ? [] : [...headerLines(metric), ...all.flatMap((each) => seriesLines(metric, each))],
  };
}

function labelsText({ labels }: Metric, values: readonly string[]): string {
  return labels.map((label, index) => `${label}="${escapeLabel(values[index] ?? "")}"`).join(",");
}

function escapeLabel(value: string): string {
  return value.replace(/["\\]/g, (character) => `\\${character}`).replaceAll("\n", String.raw`\n`);
}

function headerLines({ name, help, kind }: Metric): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
}

function seriesLines({ name, kind }: Metric, { labels, value, buckets }: Series): readonly string[] {
  if (kind !== "histogram") return [formatLine(name, labels, value)];
  const before = labels === "" ? "" : `${labels},`;
  let cumulativeCount = 0;
  const cumulative = buckets.map((count, index) => {
    cumulativeCount += count;
    return formatLine(`${name}_bucket`, `${before}le="${boundsSeconds[index] ?? "+Inf"}"`, cumulativeCount);
  });
  return [
    ...cumulative,
    formatLine(`${name}_sum`, labels, value),
    formatLine(`${name}_count`, labels, cumulativeCount),
  ];
}

function formatLine(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}
