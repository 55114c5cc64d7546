import { spawn, type ChildProcess } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";

/**
 * `npm run check`: runs the tests, and concurrently the static checks. Tests wait for a database half of their time.
 * The static checks use that half at the lowest priority, so that they do not slow down the tests. The first failure
 * ends everything.
 */
const staticChecks = ["format:check", "lint", "types", "generate:check"];
const lowestPriority = 19;
const root = join(import.meta.dirname, "..");
const running = new Set<ChildProcess>();
const failed: string[] = [];

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    failed.push(signal);
    endAll();
  });

await Promise.all([runScript("test"), runStaticChecks()]);
const verdict = failed.length > 0 ? `${failed.join(" and ")} failed` : "all holds";
process.stderr.write(`check: ${verdict}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runStaticChecks(): Promise<void> {
  for (const name of staticChecks) if (failed.length === 0) await runScript(name);
}

/**
 * Runs a script of package.json. The output of tests is shown as it arrives, and the output of a static check when the
 * check has ended.
 */
async function runScript(name: string): Promise<void> {
  const isTest = name === "test";
  const child = spawn("npm", ["run", "--silent", name], {
    cwd: root,
    // A separate process group, so that all child processes can be ended.
    detached: true,
    stdio: ["ignore", isTest ? "inherit" : "pipe", isTest ? "inherit" : "pipe"],
  });
  running.add(child);
  if (!isTest) setPriority(child.pid ?? 0, lowestPriority);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => void (output += text));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  running.delete(child);
  const isEnded = failed.length > 0;
  process.stderr.write(
    `${output}check: ${name} ${status === 0 ? "holds" : isEnded ? "was ended" : "fails"}\n`,
  );
  if (status === 0 || isEnded) return;
  failed.push(name);
  endAll();
}

function endAll(): void {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGTERM");
}
