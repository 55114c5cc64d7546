import { spawn } from "node:child_process";
import { join } from "node:path";
import { runProof } from "./reports/run-proof.ts";

/**
 * The steps of each language with their times, in seconds from an empty folder, as `npm run test:clients -- init`
 * prints them.
 */
const steps = [
  "written",
  "installed",
  "payment taken",
  "notified and refunded",
  "notified of the refund",
] as const;

/**
 * The measurement of the review of 2026-11-15: a fast reader, from a README to a verified webhook and a refund. Go did
 * not exist then; its 64 s are those of a library written for the purpose. Only these times include reading and
 * writing.
 */
const reviewSeconds: Readonly<Record<string, number>> = { node: 67, java: 57, php: 20, python: 60, go: 64 };

await runProof({
  name: "minutes",
  claim:
    "From an empty folder to a refund, in each language: `tollgate init LANGUAGE` writes a shop and its library, the printed commands are run unchanged, the buyer " +
    "approves, the webhook is verified and applied, and the payment is refunded, with a second webhook. Seconds since the start, with a running `tollgate dev`. " +
    "The last column is the time of the review of 2026-11-15 with the READMEs of that day, including reading and writing: the difference is code that users no longer write.",
  triesDefault: 1,
  lastLine: ["languages", "slowest_seconds"],
  async run({ args, logProgress }) {
    const lines = await runInit(args);
    const linesByLanguage = new Map(lines.map((line) => [line.split(":")[0] ?? "", line] as const));
    const rows = Object.keys(reviewSeconds)
      .filter((language) => args.length === 0 || args.includes(language))
      .map((language) => ({
        language,
        seconds: steps.map((step) => secondsIn(linesByLanguage.get(language), step)),
      }));
    for (const { language, seconds } of rows) logProgress(`${language}: ${seconds.join(", ")}`);
    return {
      figures: {
        languages: rows.length,
        slowest_seconds: Math.max(...rows.map(({ seconds }) => seconds.at(-1) ?? NaN)),
      },
      misses: rows.flatMap(({ language, seconds }) =>
        seconds.flatMap((each, index) =>
          Number.isNaN(each) ? [`${language}: never ${steps[index] ?? ""}`] : [],
        ),
      ),
      details: [
        `| language | ${steps.join(" | ")} | the review, by hand |`,
        `| --- | ${steps.map(() => "--:").join(" | ")} | --: |`,
        ...rows.map(
          ({ language, seconds }) =>
            `| ${language} | ${seconds.map((each) => `${each} s`).join(" | ")} | ${reviewSeconds[language]} s |`,
        ),
      ],
    };
  },
});

function secondsIn(line: string | undefined, step: string): number {
  return Number(new RegExp(`${step} ([\\d.]+) s`).exec(line ?? "")?.[1] ?? NaN);
}

function runInit(args: readonly string[]): Promise<string[]> {
  const script = join(import.meta.dirname, "../scripts/try-init.ts");
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "inherit", "pipe"] });
  process.once("exit", () => void child.kill("SIGTERM"));
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve) => child.once("close", () => resolve(output.split("\n"))));
}
