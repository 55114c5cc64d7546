import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runProof } from "./run-proof.ts";

/** The test of server/test/size, on a larger database. Its data folder is removed at the end. */
await runProof({
  name: "size",
  claim:
    "Every operation, view, report page and command about one merchant reads a bounded number of pages for each row, on a generated database: half of the payments " +
    "belong to one merchant, 40 % to a hundred, 10 % to three thousand. Statements run under row-level security with their own login, and PostgreSQL logs their plans " +
    "(auto_explain). `--tries` is the number of payments; the request log has twice as many rows.",
  triesDefault: 5_000_000,
  async run({ tries, say }) {
    const root = fileURLToPath(new URL("../", import.meta.url));
    const words = ["--test", "--test-reporter=tap", "--test-global-setup=server/test/start/global-setup.ts"];
    const running = spawn(process.execPath, [...words, "server/test/size/statements.slow.ts"], {
      cwd: root,
      env: {
        ...process.env,
        TOLLGATE_SIZE_PAYMENTS: String(tries),
        TOLLGATE_SIZE_LOG_ROWS: String(tries * 2),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    process.once("exit", () => void running.kill("SIGTERM"));
    const exited = once(running, "exit");
    const [passed, misses]: [string[], string[]] = [[], []];
    for await (const line of createInterface(running.stdout)) {
      const [, isMiss, name] = /^(not )?ok \d+ - (.+)$/.exec(line) ?? [];
      if (name === undefined) continue;
      (isMiss === undefined ? passed : misses).push(name);
      say(line);
    }
    const [status] = (await exited) as [number | null];
    if (status !== 0 && misses.length === 0) misses.push(`the test ended with status ${status}`);
    return { figures: { payments: tries, bounded: passed.length, not_bounded: misses.length }, misses };
  },
});
