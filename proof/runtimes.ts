import { dirname } from "node:path";
import { casesOfLibraries, runCases } from "../clients/conformance/run-cases.ts";
import { startScriptedGateway } from "../clients/conformance/scripted-gateway.ts";
import { runLifecycle, startWorld, type World } from "../clients/life/run-lifecycle.ts";
import type { Score } from "../clients/runner.ts";
import { runProof, type Shown } from "./reports/run-proof.ts";
import { prepareGround } from "./runtimes/runtime-ground.ts";
import { gos, javas, phps, pythons } from "./runtimes/runtime-languages.ts";
import { npmRuntimes } from "./runtimes/runtime-npm.ts";
import type { Runtime, RuntimeGround } from "./runtimes/runtime.ts";

/** A runtime, and the results of a library in it. */
interface Tried {
  readonly runtime: Runtime;
  readonly version: string;
  readonly cases?: Score;
  readonly life: Score;
  /** Problems of the first run, if a second run was necessary. */
  readonly again: readonly string[];
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
  run: async ({ words, say }) => {
    const world = await startWorld();
    const scripted = await startScriptedGateway();
    try {
      const ground = await prepareGround(dirname(world.variables["PRIVATE_KEY_FILE"] ?? ""));
      const tried: Tried[] = [];
      const missing: Missing[] = [];
      const wanted = runtimes.filter(({ name }) => words.length === 0 || words.includes(name));
      const next = wanted.values();
      // Several runtimes run concurrently, because their programs wait most of the time.
      const tryThem = async (): Promise<void> => {
        const line = await world.withOwnLine();
        for (const runtime of next) {
          const outcome = await tryOut(runtime, ground, { world: line, scriptedUrl: scripted.url });
          if ("why" in outcome) missing.push(outcome);
          else tried.push(outcome);
          say("why" in outcome ? `${runtime.name}: not available: ${outcome.why}` : lineOf(outcome));
        }
      };
      await Promise.all([tryThem(), tryThem(), tryThem()]);
      const place = ({ runtime }: Tried | Missing): number => wanted.indexOf(runtime);
      return shownOf(
        tried.toSorted((a, b) => place(a) - place(b)),
        missing.toSorted((a, b) => place(a) - place(b)),
      );
    } finally {
      await scripted.stop();
      await world.stop();
    }
  },
});

async function tryOut(
  runtime: Runtime,
  ground: RuntimeGround,
  { world, scriptedUrl }: { readonly world: Pick<World, "variables">; readonly scriptedUrl: string },
): Promise<Tried | Missing> {
  const installed = await runtime.install(ground).catch((error: unknown) => String(error));
  if (typeof installed === "string") return { runtime, why: reasonIn(installed) };
  const startedAtMs = performance.now();
  const { version, cases, life, steps } = installed;
  const judged = cases && (await twice(() => runCases(cases, casesOfLibraries, scriptedUrl)));
  const lived = await twice(() => runLifecycle(life, world, steps));
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const again = [judged, lived].flatMap((each) => each?.firstProblems ?? []);
  return { runtime, version, life: lived.score, again, seconds, ...(judged && { cases: judged.score }) };
}

/** The reason in a failed program's output: the first of apt's errors, or else the last line. */
function reasonIn(said: string): string {
  const lines = said.trim().split("\n");
  return lines.find((line) => line.startsWith("E: ")) ?? lines.at(-1) ?? "";
}

/**
 * Runs a failed case a second time, because a busy machine exceeds the time limits of some cases. The report names such
 * cases.
 */
async function twice(
  attempt: () => Promise<Score>,
): Promise<{ readonly score: Score; readonly firstProblems?: readonly string[] }> {
  const first = await attempt();
  if (first.problems.length === 0) return { score: first };
  return { score: await attempt(), firstProblems: first.problems };
}

function shownOf(tried: readonly Tried[], missing: readonly Missing[]): Shown {
  const total = (scores: readonly (Score | undefined)[]): number =>
    scores.reduce((sum, score) => sum + (score?.passed ?? 0), 0);
  return {
    figures: {
      runtimes: tried.length,
      cases: total(tried.map(({ cases }) => cases)),
      steps: total(tried.map(({ life }) => life)),
      not_to_be_had: missing.length,
    },
    misses: [
      ...tried.flatMap(({ runtime, cases, life }) =>
        [...(cases?.problems ?? []), ...life.problems].map((problem) => `${runtime.name}: ${problem}`),
      ),
      ...(tried.length === 0 ? ["nothing ran"] : []),
    ],
    details: [
      "| library | runtime | from | cases | steps | seconds |",
      "| --- | --- | --- | --: | --: | --: |",
      ...tried.map(
        ({ runtime: { library, source }, version, cases, life, seconds }) =>
          `| ${library} | ${version} | ${source} | ${told(cases)} | ${told(life)} | ${seconds} |`,
      ),
      "",
      ...tried.flatMap(({ runtime: { name }, again }) =>
        again.length === 0
          ? []
          : [`- ${name} ran twice; problems of the first run: ${again.map(short).join("; ")}`],
      ),
      ...missing.map(
        ({ runtime: { name, source }, why }) => `- ${name}, ${source}, was not available: ${why}`,
      ),
    ],
  };
}

function lineOf({ runtime, version, cases, life }: Tried): string {
  return `${runtime.name}: cases ${told(cases)}, steps ${told(life)}, ${version}`;
}

function short(problem: string): string {
  return problem.length > 160 ? `${problem.slice(0, 160)} …` : problem;
}

function told(score: Score | undefined): string {
  return score ? `${score.passed}/${score.of}` : "–";
}
