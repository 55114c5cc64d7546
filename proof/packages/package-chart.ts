import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { problemsOfChart } from "./chart-rules.ts";
import type { Manifest } from "../installation/manifest.ts";
import { errorsInChart, refusedValues } from "./errors-in-chart.ts";
import { pythonTool } from "./python-tool.ts";

const run = promisify(execFile);
const helmFolder = fileURLToPath(new URL("../../deploy/helm/", import.meta.url));
const chart = join(helmFolder, "tollgate");
const exampleValues = ["--values", join(helmFolder, "example-values.yaml")];
const versions = ["1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"];
/** A kind of object without a Kubernetes schema, because it belongs to the Prometheus operator. */
const foreignKind = "ServiceMonitor";

export interface ChartShown {
  readonly objects: number;
  readonly errorCount: number;
  readonly misses: readonly string[];
}

/** Renders the chart, validates it against schemas and rules, and checks that seeded mistakes are found. */
export async function examineChart(): Promise<ChartShown> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-chart-"));
  try {
    await helm("lint", "--strict", chart, ...exampleValues);
    const text = await renderChart("tollgate", ...exampleValues);
    const own = await problemsIn(text, folder, versions);
    const unseen: string[] = [];
    for (const { mistake, instead, by } of errorsInChart) {
      const changed = text.replace(mistake, by);
      if (changed === text) unseen.push(`can not be seeded: ${instead}`);
      else if ((await problemsIn(changed, folder, versions.slice(-1))).length === 0)
        unseen.push(`not found: ${instead}`);
    }
    for (const set of refusedValues) {
      const taken = await renderChart("tollgate", ...exampleValues, "--set", set).then(
        () => true,
        () => false,
      );
      if (taken) unseen.push(`not refused: ${set}`);
    }
    const objects = (await objectsIn(text)).length;
    return { objects, errorCount: errorsInChart.length + refusedValues.length, misses: [...own, ...unseen] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function renderChart(release: string, ...words: readonly string[]): Promise<string> {
  return helm("template", release, chart, "--kube-version", "1.34.0", ...words);
}

/** HELM names the program if it is not on the path. */
async function helm(...words: readonly string[]): Promise<string> {
  const program = process.env["HELM"] ?? "helm";
  return (await run(program, words, { maxBuffer: 2 ** 26 })).stdout;
}

/**
 * `objectsIn` parses YAML with Python, because Node has no YAML parser. Python's parser comes with the tool that
 * validates the schemas.
 */
export async function objectsIn(text: string): Promise<readonly Manifest[]> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-yaml-"));
  try {
    const file = join(folder, "all.yaml");
    writeFileSync(file, text);
    const read =
      "import json,sys,yaml; print(json.dumps([x for x in yaml.safe_load_all(open(sys.argv[1])) if x]))";
    const { stdout } = await run(join(await schemas(), "python"), ["-c", read, file], { maxBuffer: 2 ** 26 });
    return JSON.parse(stdout) as Manifest[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function problemsIn(
  text: string,
  folder: string,
  against: readonly string[],
): Promise<readonly string[]> {
  const objects = await objectsIn(text);
  const file = join(folder, "known.json");
  const known = objects.filter(({ kind }) => kind !== foreignKind);
  // Each object is written as one YAML document in JSON, which is valid YAML.
  writeFileSync(file, known.map((each) => JSON.stringify(each)).join("\n---\n"));
  const program = join(await schemas(), "kubernetes-validate");
  const problems: string[] = [];
  for (const version of against) {
    const said = await run(program, ["--strict", "-k", version, file]).then(
      () => "",
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`.trim(),
    );
    if (said) problems.push(`Kubernetes ${version}: ${said}`);
  }
  return [...problems, ...problemsOfChart(objects)];
}

function schemas(): Promise<string> {
  return pythonTool("kubernetes-validate==1.37.0");
}
