import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const runbooks = "docs/operating/runbooks";
const rules = read("deploy/prometheus/rules.yaml");
const alerts = [...rules.matchAll(/- alert: (\w+)[^]*?runbook: (\S+)/g)].map(([, name = "", page = ""]) => ({
  name,
  page,
}));

/** All metric names in docs/operating/metrics.md, which is generated. Each histogram has three additional names. */
const knownMetrics = new Set(
  [...read("docs/operating/metrics.md").matchAll(/^\| `(tollgate_\w+)` \| (\w+)/gm)].flatMap(
    ([, name = "", kind]) =>
      kind === "histogram" ? ["", "_bucket", "_sum", "_count"].map((end) => name + end) : [name],
  ),
);

/** `isMetric` excludes the names of database roles, which look like metric names. */
const isMetric = (word: string): boolean =>
  !/^tollgate_(operator|support|console|work|app|monitor)$/.test(word);

function unknownMetricsIn(text: string): readonly string[] {
  const named = [...text.matchAll(/\btollgate_[a-z_]+/g)].map(([name]) => name);
  return named.filter((name) => isMetric(name) && !knownMetrics.has(name));
}

test("rules, dashboards and runbooks name only existing metrics", () => {
  assert.deepEqual(unknownMetricsIn("rate(tollgate_no_such_total[1m])"), ["tollgate_no_such_total"]);
  const pages = readdirSync(join(root, runbooks)).map((name) => `${runbooks}/${name}`);
  const dashboards = readdirSync(join(root, "deploy/grafana")).map((name) => `deploy/grafana/${name}`);
  for (const path of ["deploy/prometheus/rules.yaml", ...dashboards, ...pages])
    assert.deepEqual(unknownMetricsIn(read(path)), [], path);
});

test("the dashboard shows every metric", () => {
  const dashboard = read("deploy/grafana/tollgate.json");
  const names = [...read("docs/operating/metrics.md").matchAll(/^\| `(tollgate_\w+)` \|/gm)].map(
    ([, name = ""]) => name,
  );
  assert.deepEqual(
    names.filter((name) => !dashboard.includes(name)),
    [],
  );
});

test("every alert has a runbook and a test, and every runbook has its alert", () => {
  assert(alerts.length > 10);
  const tested = read("deploy/prometheus/rules.test.yaml");
  const index = read(`${runbooks}/README.md`);
  for (const { name, page } of alerts) {
    assert(read(page).startsWith(`# ${name}\n`), page);
    assert(index.includes(`[${name}](${page.slice(runbooks.length + 1)})`), name);
    assert.match(tested, new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- `), name);
  }
  const pages = readdirSync(join(root, runbooks)).filter((name) => name !== "README.md");
  assert.deepEqual(pages.sort(), alerts.map(({ page }) => page.slice(runbooks.length + 1)).sort());
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test(
  "promtool confirms that each alert fires on its cause and resolves after it",
  {
    skip: !hasPromtool && "promtool is not installed",
  },
  () => {
    const result = spawnSync("promtool", ["test", "rules", "rules.test.yaml"], {
      cwd: join(root, "deploy/prometheus"),
      encoding: "utf8",
    });
    assert.equal(result.status, 0, result.stdout + result.stderr);
  },
);
