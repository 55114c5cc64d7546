import { setTimeout as waitMs } from "node:timers/promises";
import { errorCases, type Look, type ErrorCase, type InjectedError } from "./failures/inject-error.ts";
import { runProof, type ProofAsked, type Shown } from "./reports/run-proof.ts";
import { openTrial, type Trial } from "./trial/trial.ts";

/** Time limit in milliseconds: an operator would repeat a command for about this long before escalating. */
const shownWithinMs = 60_000;

await runProof({
  name: "game-day",
  claim:
    "Ten faults are injected, and the operator only receives a complaint. The commands of docs/operating/game-day.md find " +
    "the cause of each fault and, if a person caused it, that person.",
  triesDefault: 1,
  run: findAll,
});

interface Found {
  readonly errorCase: ErrorCase;
  readonly seconds: number;
  /** Commands that did not show the fault, with their output. */
  readonly misses: readonly string[];
}

async function findAll({ words, say }: ProofAsked): Promise<Shown> {
  const trial = await openTrial();
  const found: Found[] = [];
  try {
    for (const [word, errorCase] of Object.entries(errorCases)) {
      if (words.length > 0 && !words.includes(word)) continue;
      const one = await find(trial, errorCase);
      found.push(one);
      say(`${word}: ${one.misses.length === 0 ? `found in ${one.seconds.toFixed(1)} s` : "NOT FOUND"}`);
    }
  } finally {
    await trial.stop();
  }
  return {
    figures: { injected: found.length, found: found.filter(({ misses }) => misses.length === 0).length },
    misses: found.flatMap(({ errorCase, misses }) => misses.map((miss) => `${errorCase.complaint} ${miss}`)),
    details: [
      "| somebody says | found by | after, s |",
      "| --- | --- | --- |",
      ...found.map(
        ({ errorCase, seconds }) =>
          `| ${errorCase.complaint} | ${errorCase.looks.map(({ command }) => `\`${command}\``).join(", ")} | ${seconds.toFixed(1)} |`,
      ),
    ],
  };
}

async function find(trial: Trial, errorCase: ErrorCase): Promise<Found> {
  const injected = await errorCase.inject(trial);
  const startedAtMs = performance.now();
  const misses: string[] = [];
  for (const look of errorCase.looks) {
    const miss = await missOf(trial, look, injected);
    if (miss !== undefined) misses.push(miss);
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await injected.repair();
  return { errorCase, seconds, misses };
}

/** `missOf` runs a command of the operator, and returns undefined if its output shows the fault. */
async function missOf(
  trial: Trial,
  { command, shows }: Look,
  { names }: InjectedError,
): Promise<string | undefined> {
  const words = wordsOf(command).map((word) => names[word] ?? word);
  const giveUpAtMs = performance.now() + shownWithinMs;
  let printed = "";
  do {
    printed = await trial.installation.operate(...words).catch(saidAllTheSame);
    if (shows.test(printed)) return undefined;
    await waitMs(1_000);
  } while (performance.now() < giveUpAtMs);
  return `${command}: ${printed.slice(0, 500)}`;
}

/** Splits a command line like a shell. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
}

/** A command that finds an error exits with 1, and prints its finding nevertheless. */
function saidAllTheSame(error: unknown): string {
  const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
  return `${stdout}${stderr}`;
}
