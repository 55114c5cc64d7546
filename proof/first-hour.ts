import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runProof } from "./run-proof.ts";
import { failedTest } from "./run-layer.ts";

/** Each with the tests that show it, one after the other: they measure, and start whole gateways. */
const parts = {
  "packed, started, paid, told and given back, headless and in a terminal": ["cli/pack.slow.ts"],
  "every wrong start is answered with a sentence": ["cli/src/dev/wrong-starts.slow.ts"],
  "every event can be triggered, and every result code that says so forced": [
    "cli/src/merchant/scenarios/scenarios.slow.ts",
  ],
  "conform passes on ours, and names what is wrong with others": [
    "cli/src/conform/receiver/receiver.slow.ts",
    "cli/src/conform/gateway/gateway.slow.ts",
    "cli/src/conform/wallet/wallet.slow.ts",
  ],
  "fifty test runs beside each other see nothing of each other": [
    "server/src/universes/parallel-universes.slow.ts",
  ],
  "a universe is opened in a moment, and two hundred at once": ["server/src/universes/universe.load.ts"],
  "the library calls of the docs are sent as their examples say": ["clients/life/library-calls.slow.ts"],
  "the README's four pastes, and a buyer in a browser": ["cli/readme.slow.ts", "cli/src/shop/shop.slow.ts"],
} as const;

await runProof({
  name: "first-hour",
  claim:
    "What a developer meets in the first hour, all of it: CI runs the same tests, of long tables every few rows. Each line below is a part, " +
    "with how many of its tests pass and with what they have measured. Nothing else runs on the machine meanwhile.",
  triesDefault: 1,
  async run({ say }) {
    const ran: Part[] = [];
    for (const [what, files] of Object.entries(parts)) {
      const part = await runPart(what, files);
      say(`${part.passed} passed, ${part.failed.length} failed: ${what}`);
      ran.push(part);
    }
    return {
      figures: { passed: ran.reduce((sum, { passed }) => sum + passed, 0), parts: ran.length },
      misses: ran.flatMap(({ what, passed, failed }) =>
        passed === 0 ? [`${what}: nothing ran`] : failed.map((name) => `${what}: ${name}`),
      ),
      details: ran.flatMap(({ what, passed, seconds, measured }) => [
        `- ${what}: ${passed} tests in ${seconds} s`,
        ...measured.map((line) => `  - ${line}`),
      ]),
    };
  },
});

interface Part {
  readonly what: string;
  readonly passed: number;
  readonly failed: readonly string[];
  /** What the tests have told of themselves. */
  readonly measured: readonly string[];
  readonly seconds: number;
}

function runPart(what: string, files: readonly string[]): Promise<Part> {
  const startedAtMs = performance.now();
  const how = ["--test", "--test-reporter=tap", "--test-concurrency=1"];
  const words = [...how, "--test-global-setup=server/test/start/global-setup.ts", ...files];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, {
      cwd: fileURLToPath(new URL("../", import.meta.url)),
      env: { ...process.env, TOLLGATE_WHOLE: "1" },
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
          (line) =>
            /^ *# (?!tests|suites|pass|fail|cancelled|skipped|todo|duration|Subtest)(.*\d.* ms.*)$/.exec(
              line,
            )?.[1] ?? [],
        ),
        seconds: Math.round((performance.now() - startedAtMs) / 1_000),
      });
    });
  });
}
