import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What is taken out of the copy: the mark that is waited for, and the ear for the warning. */
const cuts = [
  {
    file: "server/src/postgres/standby.ts",
    text: "if (await isThereOne()) await within(confirmTimeoutMs, marked());",
    instead: "await isThereOne();",
  },
  {
    file: "server/src/postgres/database.ts",
    text: 'if (warning !== undefined) return { outcome: "unknown", cause: warning };',
    instead: "",
  },
];
const folders = ["server", "sandbox", "clients", "proof"];
const files = ["package.json", "tsconfig.json"];
const tries = "20";

/** How many things are told wrongly by a copy of the gateway that believes PostgreSQL: a proof has to be able to fail. */
export async function countWithoutCheck(say: (line: string) => void): Promise<number> {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const copy = mkdtempSync(join(tmpdir(), "tollgate-without-check-"));
  const leaveNothing = (): void => rmSync(copy, { recursive: true, force: true });
  process.once("exit", leaveNothing);
  for (const name of [...folders, ...files])
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.includes("node_modules"),
    });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const { file, text, instead } of cuts) {
    const before = readFileSync(join(copy, file), "utf8");
    if (!before.includes(text))
      throw new Error(`${file} does not read as it did: mend proof/without-check.ts.`);
    writeFileSync(join(copy, file), before.replace(text, instead));
  }
  const said = await runCopy(copy);
  leaveNothing();
  process.off("exit", leaveNothing);
  const counted = /false_success=(\d+)/.exec(said)?.[1];
  if (counted === undefined) throw new Error(`The copy did not come to its end: ${said.slice(-2_000)}`);
  say(`with the check taken out of a copy, ${counted} things are told wrongly`);
  return Number(counted);
}

/** It fails, and that is what it is for. */
function runCopy(copy: string): Promise<string> {
  return new Promise((resolve) => {
    const words = ["proof/commit-hole.ts", "--tries", tries, "only"];
    const child = execFile(process.execPath, words, { cwd: copy }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
    process.once("exit", () => child.kill("SIGTERM"));
  });
}
