import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findChartProblems } from "./chart-rules.ts";
import type { Manifest } from "../installation/manifest.ts";
import { seededMistakes, rejectedValues } from "./seeded-chart-mistakes.ts";
import { installPythonTool } from "./python-tool.ts";

const run = promisify(execFile);
const helmFolder = fileURLToPath(new URL("../../deploy/helm/", import.meta.url));
const chart = join(helmFolder, "tollgate");
const exampleValues = ["--values", join(helmFolder, "example-values.yaml")];
const supportedVersions = ["1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"];
/** A kind of object without a Kubernetes schema, because it belongs to the Prometheus operator. */
const foreignKind = "ServiceMonitor";

export interface ChartResult {
  readonly objects: number;
  readonly errorCount: number;
  readonly misses: readonly string[];
}

/** Renders the chart, validates it against schemas and rules, and checks that seeded mistakes are found. */
export async function examineChart(): Promise<ChartResult> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-chart-"));
  try {
    await helm("lint", "--strict", chart, ...exampleValues);
    const text = await renderChart("tollgate", ...exampleValues);
    const chartProblems = await findProblems(text, folder, supportedVersions);
    const undetected: string[] = [];
    for (const { original, mistake, replacement } of seededMistakes) {
      const changed = text.replace(original, replacement);
      if (changed === text) undetected.push(`can not be seeded: ${mistake}`);
      else if ((await findProblems(changed, folder, supportedVersions.slice(-1))).length === 0)
        undetected.push(`not found: ${mistake}`);
    }
    for (const assignment of rejectedValues) {
      const isAccepted = await renderChart("tollgate", ...exampleValues, "--set", assignment).then(
        () => true,
        () => false,
      );
      if (isAccepted) undetected.push(`not refused: ${assignment}`);
    }
    const objects = (await parseObjects(text)).length;
    return {
      objects,
      errorCount: seededMistakes.length + rejectedValues.length,
      misses: [...chartProblems, ...undetected],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function renderChart(release: string, ...args: readonly string[]): Promise<string> {
  return helm("template", release, chart, "--kube-version", "1.34.0", ...args);
}

/** HELM names the program if it is not on the path. */
async function helm(...args: readonly string[]): Promise<string> {
  const program = process.env["HELM"] ?? "helm";
  return (await run(program, args, { maxBuffer: 2 ** 26 })).stdout;
}

/**
 * `parseObjects` parses YAML with Python, because Node has no YAML parser. Python's parser comes with the tool that
 * validates the schemas.
 */
export async function parseObjects(text: string): Promise<readonly Manifest[]> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-yaml-"));
  try {
    const file = join(folder, "all.yaml");
    writeFileSync(file, text);
    const script =
      "import json,sys,yaml; print(json.dumps([x for x in yaml.safe_load_all(open(sys.argv[1])) if x]))";
    const { stdout } = await run(join(await installSchemaValidator(), "python"), ["-c", script, file], {
      maxBuffer: 2 ** 26,
    });
    return JSON.parse(stdout) as Manifest[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findProblems(
  text: string,
  folder: string,
  kubernetesVersions: readonly string[],
): Promise<readonly string[]> {
  const objects = await parseObjects(text);
  const file = join(folder, "known.json");
  const knownObjects = objects.filter(({ kind }) => kind !== foreignKind);
  // Each object is written as one YAML document in JSON, which is valid YAML.
  writeFileSync(file, knownObjects.map((each) => JSON.stringify(each)).join("\n---\n"));
  const program = join(await installSchemaValidator(), "kubernetes-validate");
  const problems: string[] = [];
  for (const version of kubernetesVersions) {
    const output = await run(program, ["--strict", "-k", version, file]).then(
      () => "",
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`.trim(),
    );
    if (output) problems.push(`Kubernetes ${version}: ${output}`);
  }
  return [...problems, ...findChartProblems(objects)];
}

function installSchemaValidator(): Promise<string> {
  return installPythonTool("kubernetes-validate==1.37.0");
}
