import { execFile, spawn, type ChildProcess } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import { root } from "../cli/src/dev/programs.ts";
import { languages } from "../cli/src/init/languages.ts";

/**
 * Tests `tollgate init` as its users see it. In each language, the printed commands run unchanged in the folder of a
 * running `tollgate dev`, until the shop has a paid payment, a webhook and a refund. The last line is `init: node=ok
 * …`. `node scripts/try-init.ts python` tests one language.
 */
const run = promisify(execFile);
const program = join(root, "cli/src/start.ts");
const stepTimeoutMs = 120_000;
// The option disables Java's second compiler. A short program then needs 3 s of CPU time instead of 10.
const environment = { ...process.env, JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1" };
const selected = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(languages);

const folder = await mkdtemp(join(tmpdir(), "tollgate-try-init-"));
// PostgreSQL runs as another user when we are root, and must enter the folder.
await chmod(folder, 0o755);
await run(process.execPath, [join(root, "clients/typescript/build.ts")]);
await typeCheck();
const dev = startProgram([process.execPath, program, "dev", "--json"], {});
const verdicts: string[] = [];
try {
  await dev.says(/^\{"baseUrl"/);
  for (const name of selected) verdicts.push(`${name}=${await testLanguage(name)}`);
} finally {
  await dev.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
process.stdout.write(`init: ${verdicts.join(" ")}\n`);
if (verdicts.some((verdict) => !verdict.endsWith("=ok"))) process.exitCode = 1;

/** `typeCheck` checks only the TypeScript templates. The other templates are compiled or parsed when they run. */
async function typeCheck(): Promise<void> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "--project", join(root, "cli/templates")]);
}

async function testLanguage(name: string): Promise<string> {
  const startedAtMs = performance.now();
  const timings: string[] = [];
  const recordTime = (step: string): void =>
    void timings.push(`${step} ${Math.round((performance.now() - startedAtMs) / 100) / 10} s`);
  try {
    const printed = await tollgate("init", name);
    recordTime("written");
    const commands = printed.split("\n").flatMap((line) => /^ {2}(\S+ .+)$/.exec(line)?.[1] ?? []);
    await tryShop(
      commands.filter((command) => languages[name]?.commands.includes(command)),
      recordTime,
    );
    return "ok";
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return "failed";
  } finally {
    process.stderr.write(`${name}: ${timings.join(", ")}\n`);
  }
}

async function tryShop(commands: readonly string[], recordTime: (step: string) => void): Promise<void> {
  for (const command of commands.slice(0, -1))
    await run("sh", ["-c", command], { cwd: folder, env: environment, timeout: stepTimeoutMs });
  recordTime("installed");
  const port = await findFreePort();
  const shop = startProgram(["sh", "-c", `exec ${commands.at(-1)}`], { PORT: String(port) });
  try {
    const page = await shop.says(/^Pay as the buyer at (http\S+)$/);
    if (!(await fetch(page)).ok) throw new Error(`${page} is no page.`);
    const paymentId = await shop.says(/^or with: npx --no tollgate approve (\d+)$/);
    recordTime("payment taken");
    const forged = await fetch(`http://127.0.0.1:${port}/notify`, { method: "POST", body: "{}" });
    if (forged.status !== 401) throw new Error(`A forged webhook got status ${forged.status}.`);
    await tollgate("approve", paymentId);
    await shop.says(new RegExp(`^verified notifyPayment: SUCCESS, payment (${paymentId})`));
    await shop.says(/^(refunded: \w+)$/);
    recordTime("notified and refunded");
    await shop.says(/^verified notifyRefund: SUCCESS, refund (\d+)$/);
    recordTime("notified of the refund");
    const second = startProgram(["sh", "-c", `exec ${commands.at(-1)}`], { PORT: String(port) });
    await second.says(new RegExp(`^Port ${port} is in use\\. Choose another: PORT=3001 ${commands.at(-1)}$`));
    await second.stop();
  } finally {
    await shop.stop();
  }
}

async function tollgate(...words: readonly string[]): Promise<string> {
  return (await run(process.execPath, [program, ...words], { cwd: folder, timeout: stepTimeoutMs })).stdout;
}

interface Program {
  /** Waits for a line that matches, and returns its first group. */
  says(form: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a program in a separate process group, so that the web server that it may start can be ended with it. */
function startProgram(
  [command = "", ...words]: readonly string[],
  variables: Record<string, string>,
): Program {
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...environment, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    says: (form) => waitForOutput(child, () => output, form),
    async stop() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      await exited;
    },
  };
}

async function waitForOutput(child: ChildProcess, output: () => string, form: RegExp): Promise<string> {
  const giveUpAtMs = performance.now() + stepTimeoutMs;
  for (;;) {
    const found = new RegExp(form, "m").exec(output());
    if (found) return found[1] ?? found[0];
    if (child.exitCode !== null || performance.now() > giveUpAtMs)
      throw new Error(`It did not print ${form.source}, but:\n${output().slice(-4_000)}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
