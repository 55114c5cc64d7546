import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitForFirstLine, startProcess } from "../cli/src/dev/processes.ts";
import { readGuide, type Guide } from "./guides/guide.ts";
import { prepareReaderFolder, typeProblems } from "./guides/project.ts";
import { programsOf, runGuide } from "./guides/run-guide.ts";

/**
 * Runs the code of every guide against a complete Tollgate, as a reader would in a separate folder, and compares the
 * output with the page: `node scripts/guides.ts [NAME…]`.
 */
const root = fileURLToPath(new URL("../", import.meta.url));
const concurrency = 3;
const timeoutMs = 90_000;

const guides = await readGuides(process.argv.slice(2));
const folder = await mkdtemp(join(tmpdir(), "tollgate-guides-"));
await prepareReaderFolder(folder, root, guides);
const folderOption = ["--folder", join(folder, ".tollgate")];
// A longer timeout than `dev` needs to kill each of its processes, because `dev` must outlive them. Logs are shown only
// if a page fails.
const options = { stopTimeoutMs: 30_000, onLine: () => undefined };
const dev = startProcess("dev", ["cli/src/start.ts", "dev", "--json", ...folderOption], {}, options);
const interrupted = new AbortController();
for (const name of ["SIGTERM", "SIGINT"] as const) {
  process.on(name, () => {
    interrupted.abort();
    void dev.stop();
  });
}

try {
  const [types] = await Promise.all([typeProblems(folder, root, guides), waitForFirstLine(dev, "stdout")]);
  const failed = new Map<Guide, readonly string[]>();
  const run = async (guide: Guide): Promise<void> => {
    const startedAtMs = performance.now();
    const runProblems = await runGuide(guide, folder, { timeoutMs, signal: interrupted.signal });
    const problems = [
      ...guide.problems,
      ...types.filter((each) => each.startsWith(`${guide.path}:`)),
      ...runProblems,
    ];
    if (problems.length > 0) failed.set(guide, problems);
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(5);
    const verdict = problems.length === 0 ? "ok" : "failed";
    process.stdout.write(`${guide.name.padEnd(24)} ${seconds} s  ${verdict}\n`);
  };
  // Guides that change shared state run first. Advancing the clock waits for all delivery attempts, and other guides
  // set addresses without a listener.
  await runEach(guides.filter(changesSharedState), run);
  const parallelGuides = guides.filter((guide) => !changesSharedState(guide));
  await Promise.all(Array.from({ length: concurrency }, () => runEach(parallelGuides, run)));
  listSkippedBlocks();
  interrupted.signal.throwIfAborted();
  if (failed.size > 0) process.stderr.write(`\nThe end of the gateway's log:\n${dev.stderrTail()}\n`);
  // Problems are printed last, so that they are at the end of a log.
  for (const problem of [...failed.values()].flat()) process.stderr.write(`${problem}\n`);
  process.stdout.write(`guides: ${guides.length - failed.size}/${guides.length}\n`);
  if (failed.size > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`guides: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await dev.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function readGuides(selectedNames: readonly string[]): Promise<Guide[]> {
  const names = (await readdir(join(root, "docs/guides")))
    .filter((name) => /^[a-z].*\.md$/.test(name))
    .sort();
  const unknown = selectedNames.filter((name) => !names.includes(`${name}.md`));
  if (unknown.length > 0) {
    process.stderr.write(`There is no guide ${unknown.join(", ")} among ${names.join(", ")}.\n`);
    process.exit(2);
  }
  const inRepository = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
  const selected = names.filter(
    (name) => selectedNames.length === 0 || selectedNames.includes(name.replace(/\.md$/, "")),
  );
  return Promise.all(
    selected.map(async (name) => {
      const path = `docs/guides/${name}`;
      return readGuide(path, await readFile(join(root, path), "utf8"), inRepository);
    }),
  );
}

/** Whether a guide changes shared state: the merchant's clock, its addresses, or fault injection. */
function changesSharedState(guide: Guide): boolean {
  return [...programsOf(guide).values()].some((text) =>
    /advanceClock|changeEndpoints|orderFault|faults/.test(text),
  );
}

/** Takes guides from the front of the list until it is empty; several workers run concurrently. */
async function runEach(list: Guide[], run: (guide: Guide) => Promise<void>): Promise<void> {
  for (let guide = list.shift(); guide && !interrupted.signal.aborted; guide = list.shift()) await run(guide);
}

/** Lists blocks that did not run here, with the reason or the test file that runs them. */
function listSkippedBlocks(): void {
  for (const { path, blocks } of guides)
    for (const { use, language, line, about } of blocks) {
      if (use === "quote") process.stdout.write(`quoted   ${path}:${line}: from ${about}\n`);
      if (use === "not run") process.stdout.write(`not run  ${path}:${line}: ${language}, ${about}\n`);
    }
}
