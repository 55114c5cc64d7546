import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { newMeter } from "./meter.ts";
import { metrics, type Metric, type MetricOf } from "./metric.ts";

test("counters, gauges and histograms are written in Prometheus' format", () => {
  const meter = newMeter();
  meter.add("callbacks", ["alpha", "SUCCESS", "S"]);
  meter.add("callbacks", ["alpha", "SUCCESS", "S"], 2);
  meter.observe("providerSeconds", ['a"b'], 0.02);
  meter.observe("providerSeconds", ['a"b'], 60);
  meter.beforeScrape(() => meter.set("ready", [], 1));
  const lines = meter.text().split("\n");
  assert(lines.includes("# TYPE tollgate_callbacks_total counter"));
  assert(lines.includes('tollgate_callbacks_total{connector="alpha",code="SUCCESS",status="S"} 3'));
  assert(lines.includes("tollgate_ready 1"));
  const labels = String.raw`connector="a\"b"`;
  assert(lines.includes(`tollgate_provider_call_duration_seconds_bucket{${labels},le="0.01"} 0`));
  assert(lines.includes(`tollgate_provider_call_duration_seconds_bucket{${labels},le="0.025"} 1`));
  assert(lines.includes(`tollgate_provider_call_duration_seconds_bucket{${labels},le="+Inf"} 2`));
  assert(lines.includes(`tollgate_provider_call_duration_seconds_count{${labels}} 2`));
});

test("a metric has at most a thousand series", () => {
  const meter = newMeter();
  for (let index = 0; index < 1_500; index += 1) meter.add("failing", [String(index)]);
  assert.equal(meter.text().match(/^tollgate_failing\{/gm)?.length, 1_000);
});

test("names have their units, and only counters end with total", () => {
  for (const { name, kind, labels } of Object.values<Metric>(metrics)) {
    // Prometheus sets `job` and `instance` itself; `quantile` and `le` belong to summaries and histograms.
    for (const reserved of ["job", "instance", "quantile", "le"]) assert(!labels.includes(reserved), name);
    assert.match(name, /^tollgate_[a-z_]+$/);
    assert.equal(name.endsWith("_total"), kind === "counter", name);
  }
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test(
  "`promtool check metrics` accepts every metric",
  { skip: !hasPromtool && "promtool is not installed" },
  () => {
    const meter = newMeter();
    for (const [key, { kind, labels }] of Object.entries<Metric>(metrics)) {
      const values = labels.map(() => "a");
      if (kind === "histogram") meter.observe(key as MetricOf<"histogram">, values, 1);
      else meter.set(key as MetricOf<"gauge">, values, 1);
    }
    const { status, stderr } = spawnSync("promtool", ["check", "metrics"], {
      input: meter.text(),
      encoding: "utf8",
    });
    assert.deepEqual([stderr, status], ["", 0]);
  },
);
