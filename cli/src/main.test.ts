import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const start = join(import.meta.dirname, "start.ts");

/** A module for `--import` that prints the address of every module that is loaded after it. */
const loadHook = `import { registerHooks } from "node:module";
  registerHooks({ load(url, context, next) { process.stderr.write(url + "\\n"); return next(url, context); } });`;

function tollgate(...words: readonly string[]): { code: number | null; stdout: string; loaded: string[] } {
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(loadHook)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, start, ...words], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  return { code: status, stdout, loaded: stderr.split("\n").filter((line) => line.includes("://")) };
}

test("help lists the merchants' commands, with --all also the operators', and does not load the server", () => {
  for (const words of [
    ["--help"],
    ["merchant", "--help"],
    ["serve", "--help"],
    ["help", "connector", "set"],
  ]) {
    const { code, loaded } = tollgate(...words);
    assert.equal(code, 0);
    const serverModules = loaded.filter((url) =>
      /node_modules|\.sql\.ts|\/(?:merchant-api\/server|processes\/serve|merchant|engine)\.ts/.test(url),
    );
    assert.deepEqual(serverModules, [], words.join(" "));
    assert.ok(loaded.length < 80, `${loaded.length} modules`);
  }
  const { stdout: shortHelp } = tollgate("--help");
  assert.match(shortHelp, /\nFor merchants\n {2}dev /);
  assert.doesNotMatch(shortHelp, /merchant suspend/);
  assert.match(shortHelp, /List the commands for operators of a gateway with `tollgate --help --all`\./);
  const { stdout } = tollgate("--help", "--all");
  assert.match(
    stdout,
    /\nFor merchants\n {2}dev [\s\S]*\nFor operators of a gateway\n {2}serve [\s\S]* merchant suspend /,
  );
  assert.doesNotMatch(stdout, /^ {2}generate /m);
});

test("an operator's command also runs in tollgate, and reports all settings that are missing", () => {
  const { code, stdout } = tollgate("merchant", "list");
  assert.deepEqual([code, stdout], [2, ""]);
});

test("both programs print the version of the repository", () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
    readonly version: string;
  };
  assert.equal(tollgate("--version").stdout, `${version}\n`);
  const server = join(import.meta.dirname, "../../server/src/main.ts");
  assert.equal(
    spawnSync(process.execPath, [server, "--version"], { encoding: "utf8" }).stdout,
    `${version}\n`,
  );
});
