import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { failedTest } from "./run-layer.ts";
import { runProof } from "./run-proof.ts";

/** Each with the file that measures it. */
const parts = {
  "every list, search and chart is there within 300 ms": "server/src/http/console-lists.load.ts",
  "what the search costs a payment": "server/src/search/search-cost.load.ts",
} as const;

await runProof({
  name: "console",
  claim:
    "People list, search and chart payments of a merchant with very many (the figure `payments`; seeded by SQL, dropped afterwards), and beside a small one that shares " +
    "its bucket: each within 300 ms at the server, the slowest of three. `pay` writes no more WAL for it. Nothing else runs on the machine meanwhile. " +
    "That no large table is read sequentially is shown by `server/src/api/view-plans.test.ts`, with every change.",
  triesDefault: 5_000_000,
  async run({ tries, say }) {
    const ran: Part[] = [];
    for (const [what, file] of Object.entries(parts)) {
      const part = await runPart(what, file, tries);
      say(`${part.passed} passed, ${part.failed.length} failed: ${what}`);
      ran.push(part);
    }
    return {
      figures: { payments: tries, passed: ran.reduce((sum, { passed }) => sum + passed, 0) },
      misses: ran.flatMap(({ what, passed, failed }) =>
        passed + failed.length === 0 ? [`${what}: nothing ran`] : failed.map((name) => `${what}: ${name}`),
      ),
      details: ran.flatMap(({ what, measured }) => [`- ${what}`, ...measured.map((line) => `  - ${line}`)]),
    };
  },
});

interface Part {
  readonly what: string;
  readonly passed: number;
  readonly failed: readonly string[];
  /** What the tests have told of themselves. */
  readonly measured: readonly string[];
}

function runPart(what: string, file: string, payments: number): Promise<Part> {
  const words = [
    "--test",
    "--test-reporter=tap",
    "--test-global-setup=server/test/start/global-setup.ts",
    file,
  ];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, {
      cwd: fileURLToPath(new URL("../", import.meta.url)),
      env: { ...process.env, CONSOLE_PAYMENTS: String(payments) },
      stdio: ["ignore", "pipe", "ignore"],
    });
    process.once("exit", () => void child.kill("SIGTERM"));
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.once("close", () => {
      const lines = said.split("\n");
      resolve({
        what,
        passed: lines.filter((line) => /^ok \d+ - (?!.*# SKIP)/.test(line)).length,
        failed: lines.flatMap((line) => failedTest(line) ?? []),
        measured: lines.flatMap(
          (line) => /^ *# (?!Subtest|duration)(.*\d (?:ms|bytes)\b.*)$/.exec(line)?.[1] ?? [],
        ),
      });
    });
  });
}
