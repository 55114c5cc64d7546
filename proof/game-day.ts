import { setTimeout as waitMs } from "node:timers/promises";
import {
  errorCases,
  type DiagnosticCommand,
  type ErrorCase,
  type InjectedError,
} from "./failures/error-cases.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";
import { openTrial, type Trial } from "./trial/trial.ts";

/** Time limit in milliseconds: an operator would repeat a command for about this long before escalating. */
const shownWithinMs = 60_000;

await runProof({
  name: "game-day",
  claim:
    "Ten faults are injected, and the operator only receives a complaint. The commands of docs/operating/game-day.md find " +
    "the cause of each fault and, if a person caused it, that person.",
  triesDefault: 1,
  run: runErrorCases,
});

interface CaseResult {
  readonly errorCase: ErrorCase;
  readonly seconds: number;
  /** Commands that did not show the fault, with their output. */
  readonly misses: readonly string[];
}

async function runErrorCases({ args, logProgress }: ProofOptions): Promise<ProofResult> {
  const trial = await openTrial();
  const results: CaseResult[] = [];
  try {
    for (const [name, errorCase] of Object.entries(errorCases)) {
      if (args.length > 0 && !args.includes(name)) continue;
      const result = await runErrorCase(trial, errorCase);
      results.push(result);
      logProgress(
        `${name}: ${result.misses.length === 0 ? `found in ${result.seconds.toFixed(1)} s` : "NOT FOUND"}`,
      );
    }
  } finally {
    await trial.stop();
  }
  return {
    figures: { injected: results.length, found: results.filter(({ misses }) => misses.length === 0).length },
    misses: results.flatMap(({ errorCase, misses }) =>
      misses.map((miss) => `${errorCase.complaint} ${miss}`),
    ),
    details: [
      "| statement | found by | after, s |",
      "| --- | --- | --- |",
      ...results.map(
        ({ errorCase, seconds }) =>
          `| ${errorCase.complaint} | ${errorCase.diagnostics.map(({ command }) => `\`${command}\``).join(", ")} | ${seconds.toFixed(1)} |`,
      ),
    ],
  };
}

async function runErrorCase(trial: Trial, errorCase: ErrorCase): Promise<CaseResult> {
  const injected = await errorCase.inject(trial);
  const startedAtMs = performance.now();
  const misses: string[] = [];
  for (const diagnostic of errorCase.diagnostics) {
    const miss = await runDiagnostic(trial, diagnostic, injected);
    if (miss !== undefined) misses.push(miss);
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await injected.repair();
  return { errorCase, seconds, misses };
}

/** `runDiagnostic` runs a command of the operator, and returns undefined if its output shows the fault. */
async function runDiagnostic(
  trial: Trial,
  { command, expected }: DiagnosticCommand,
  { placeholders }: InjectedError,
): Promise<string | undefined> {
  const args = splitCommandLine(command).map((name) => placeholders[name] ?? name);
  const giveUpAtMs = performance.now() + shownWithinMs;
  let output = "";
  do {
    output = await trial.installation.operate(...args).catch(outputOfFailedCommand);
    if (expected.test(output)) return undefined;
    await waitMs(1_000);
  } while (performance.now() < giveUpAtMs);
  return `${command}: ${output.slice(0, 500)}`;
}

/** Splits a command line like a shell. */
function splitCommandLine(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
}

/** A command that finds an error exits with 1, and prints its finding nevertheless. */
function outputOfFailedCommand(error: unknown): string {
  const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
  return `${stdout}${stderr}`;
}
