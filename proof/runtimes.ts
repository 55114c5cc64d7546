import { dirname } from "node:path";
import { libraryCaseIds, runCases } from "../clients/conformance/run-cases.ts";
import { startScriptedGateway } from "../clients/conformance/scripted-gateway.ts";
import {
  runLifecycle,
  startLifecycleEnvironment,
  type LifecycleEnvironment,
} from "../clients/life/run-lifecycle.ts";
import type { Score } from "../clients/runner.ts";
import { runProof, type ProofResult } from "./reports/run-proof.ts";
import { buildLibraries } from "./runtimes/library-builds.ts";
import { gos, javas, phps, pythons } from "./runtimes/runtime-languages.ts";
import { npmRuntimes } from "./runtimes/runtime-npm.ts";
import type { Runtime, LibraryBuilds } from "./runtimes/runtime.ts";

/** A runtime, and the results of a library in it. */
interface RuntimeResult {
  readonly runtime: Runtime;
  readonly version: string;
  readonly cases?: Score;
  readonly life: Score;
  /** Problems of the first run, if a second run was necessary. */
  readonly firstProblems: readonly string[];
  readonly seconds: number;
}

/** A runtime that could not be installed, with the error. */
interface Missing {
  readonly runtime: Runtime;
  readonly why: string;
}

const runtimes: readonly Runtime[] = [...npmRuntimes, ...pythons, ...phps, ...javas, ...gos];

await runProof({
  name: "runtimes",
  claim:
    "Each client library, in the form of its users, in every version of its language that can be installed: all cases of " +
    "`clients/conformance` (the bytes that are signed, what is verified, keys, money, models, retries, points of sale) and all steps of " +
    "`clients/life` against a running `npm run dev` (pay, approve, verified notification, refund, feed, disputes, broken connections). Edge workers " +
    "have no files: they sign all vectors, and run the steps from payment to refund, with one verified and one rejected forged webhook. " +
    "TypeScript is the npm archive, Python the wheel, Java classes compiled for 17, PHP and Go their sources. Runtimes that could not be installed are listed below.",
  triesDefault: 1,
  lastLine: ["runtimes", "cases", "steps", "not_to_be_had", "seconds"],
  run: async ({ args, logProgress }) => {
    const environment = await startLifecycleEnvironment();
    const scripted = await startScriptedGateway();
    try {
      const builds = await buildLibraries(dirname(environment.variables["PRIVATE_KEY_FILE"] ?? ""));
      const results: RuntimeResult[] = [];
      const missing: Missing[] = [];
      const selected = runtimes.filter(({ name }) => args.length === 0 || args.includes(name));
      const remaining = selected.values();
      // Several runtimes run concurrently, because their programs wait most of the time.
      const testNext = async (): Promise<void> => {
        const ownEnvironment = await environment.withOwnFaultProxy();
        for (const runtime of remaining) {
          const outcome = await testRuntime(runtime, builds, {
            environment: ownEnvironment,
            scriptedUrl: scripted.url,
          });
          if ("why" in outcome) missing.push(outcome);
          else results.push(outcome);
          logProgress(
            "why" in outcome ? `${runtime.name}: not available: ${outcome.why}` : formatLine(outcome),
          );
        }
      };
      await Promise.all([testNext(), testNext(), testNext()]);
      const positionOf = ({ runtime }: RuntimeResult | Missing): number => selected.indexOf(runtime);
      return buildResult(
        results.toSorted((a, b) => positionOf(a) - positionOf(b)),
        missing.toSorted((a, b) => positionOf(a) - positionOf(b)),
      );
    } finally {
      await scripted.stop();
      await environment.stop();
    }
  },
});

async function testRuntime(
  runtime: Runtime,
  builds: LibraryBuilds,
  {
    environment,
    scriptedUrl,
  }: { readonly environment: Pick<LifecycleEnvironment, "variables">; readonly scriptedUrl: string },
): Promise<RuntimeResult | Missing> {
  const installed = await runtime.install(builds).catch((error: unknown) => String(error));
  if (typeof installed === "string") return { runtime, why: findReason(installed) };
  const startedAtMs = performance.now();
  const { version, cases, life, steps } = installed;
  const conformance = cases && (await retryOnce(() => runCases(cases, libraryCaseIds, scriptedUrl)));
  const lifecycle = await retryOnce(() => runLifecycle(life, environment, steps));
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const firstProblems = [conformance, lifecycle].flatMap((each) => each?.firstProblems ?? []);
  return {
    runtime,
    version,
    life: lifecycle.score,
    firstProblems,
    seconds,
    ...(conformance && { cases: conformance.score }),
  };
}

/** The reason in a failed program's output: the first of apt's errors, or else the last line. */
function findReason(output: string): string {
  const lines = output.trim().split("\n");
  return lines.find((ownEnvironment) => ownEnvironment.startsWith("E: ")) ?? lines.at(-1) ?? "";
}

/**
 * Runs a failed case a second time, because a busy machine exceeds the time limits of some cases. The report names such
 * cases.
 */
async function retryOnce(
  attempt: () => Promise<Score>,
): Promise<{ readonly score: Score; readonly firstProblems?: readonly string[] }> {
  const first = await attempt();
  if (first.problems.length === 0) return { score: first };
  return { score: await attempt(), firstProblems: first.problems };
}

function buildResult(results: readonly RuntimeResult[], missing: readonly Missing[]): ProofResult {
  const total = (scores: readonly (Score | undefined)[]): number =>
    scores.reduce((sum, score) => sum + (score?.passed ?? 0), 0);
  return {
    figures: {
      runtimes: results.length,
      cases: total(results.map(({ cases }) => cases)),
      steps: total(results.map(({ life }) => life)),
      not_to_be_had: missing.length,
    },
    misses: [
      ...results.flatMap(({ runtime, cases, life }) =>
        [...(cases?.problems ?? []), ...life.problems].map((problem) => `${runtime.name}: ${problem}`),
      ),
      ...(results.length === 0 ? ["nothing ran"] : []),
    ],
    details: [
      "| library | runtime | from | cases | steps | seconds |",
      "| --- | --- | --- | --: | --: | --: |",
      ...results.map(
        ({ runtime: { library, source }, version, cases, life, seconds }) =>
          `| ${library} | ${version} | ${source} | ${formatScore(cases)} | ${formatScore(life)} | ${seconds} |`,
      ),
      "",
      ...results.flatMap(({ runtime: { name }, firstProblems }) =>
        firstProblems.length === 0
          ? []
          : [`- ${name} ran twice; problems of the first run: ${firstProblems.map(truncate).join("; ")}`],
      ),
      ...missing.map(
        ({ runtime: { name, source }, why }) => `- ${name}, ${source}, was not available: ${why}`,
      ),
    ],
  };
}

function formatLine({ runtime, version, cases, life }: RuntimeResult): string {
  return `${runtime.name}: cases ${formatScore(cases)}, steps ${formatScore(life)}, ${version}`;
}

function truncate(problem: string): string {
  return problem.length > 160 ? `${problem.slice(0, 160)} …` : problem;
}

function formatScore(score: Score | undefined): string {
  return score ? `${score.passed}/${score.total}` : "–";
}
