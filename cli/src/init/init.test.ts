import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../dev/programs.ts";
import { languages } from "./languages.ts";

const home = await mkdtemp(join(tmpdir(), "tollgate-init-"));
after(() => rm(home, { recursive: true, force: true }));

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function init(folder: string, ...words: readonly string[]): Promise<CommandResult> {
  const cwd = join(home, folder);
  await mkdir(cwd, { recursive: true });
  return new Promise((resolve) => {
    const program = [join(root, "cli/src/start.ts"), "init", ...words];
    execFile(process.execPath, program, { cwd }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

// TypeScript is not in this list, because its library must be built first. `scripts/try-init.ts` tests all five
// languages.
for (const name of ["java", "php", "python", "go"]) {
  const { file, library, commands } = languages[name]!;
  test(`init ${name} writes one file and its library, and prints how to run them`, async () => {
    const { code, stdout, stderr } = await init(name, name);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    assert.deepEqual((await readdir(join(home, name))).sort(), [file, library.to].sort());
    for (const command of commands) assert.ok(stdout.split("\n").includes(`  ${command}`), stdout);
    assert.match(stdout, /npx --no tollgate dev/);
    // A copy of the library must include its license.
    const licence = await readFile(join(home, name, library.to, "LICENSE"), "utf8");
    assert.equal(licence, await readFile(join(root, "LICENSE"), "utf8"));
    // The file's comment contains the same commands as the output.
    const text = await readFile(join(home, name, file), "utf8");
    assert.ok(text.includes(commands.at(-1) ?? ""));
  });
}

test("no existing file is overwritten, neither the shop nor the library", async () => {
  await mkdir(join(home, "mine"));
  await writeFile(join(home, "mine/shop.php"), "mine");
  const second = await init("mine", "php");
  assert.equal(second.code, 1);
  assert.equal(
    second.stderr,
    `shop.php is already in ${join(home, "mine")}, so nothing was written. Move it, or use an empty folder.\n`,
  );
  assert.equal(await readFile(join(home, "mine/shop.php"), "utf8"), "mine");
  assert.deepEqual(await readdir(join(home, "mine")), ["shop.php"]);
});

test("an unknown language is rejected with the list of languages", async () => {
  const { code, stderr } = await init("other", "pyhton");
  assert.equal(code, 2);
  assert.equal(
    stderr,
    "Unknown language pyhton. Choose one of node, java, php, python, go. Did you mean python?\n",
  );
});
