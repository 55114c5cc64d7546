import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ensureBuiltPortal } from "./built-portal.ts";

const folder = await ensureBuiltPortal();

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const manifest: Readonly<Record<string, Chunk>> = JSON.parse(
  await readFile(join(folder, "manifest.json"), "utf8"),
);

/** `filesOf` returns a chunk with all files that are loaded with it. */
function filesOf(name: string): readonly string[] {
  const { file, imports = [], css = [] } = manifest[name] ?? assert.fail(name);
  return [...new Set([file, ...css, ...imports.flatMap(filesOf)])];
}

const gzipBytes = async (file: string): Promise<number> =>
  gzipSync(await readFile(join(folder, file)), { level: 9 }).length;

const budgetBytes = 260_000;

test("the first page is at most 260 KB of scripts and styles, compressed, with one language", async () => {
  for (const [entry, ...sentences] of [
    ["index.html", "src/languages/english.ts"],
    ["operator.html", "src/languages/english.ts", "src/languages/english-operator.ts"],
  ] as const) {
    const files = new Set([entry, ...sentences].flatMap(filesOf));
    const sizes = await Promise.all([...files].map(gzipBytes));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total > 100_000, `${entry}: ${total} bytes cannot be all of it`);
    assert.ok(total <= budgetBytes, `${entry}: ${total} bytes: ${[...files].join(", ")}`);
  }
});

test("every page except the sign-in is loaded on demand", async () => {
  const source = new URL("../src/", import.meta.url);
  const pages = (await readdir(source, { recursive: true })).filter((name) => name.endsWith("-page.tsx"));
  const own = pages.filter((name) => manifest[`src/${name}`]?.isDynamicEntry);
  assert.ok(pages.length > 8, pages.join(", "));
  assert.deepEqual(pages.filter((name) => !own.includes(name)).toSorted(), [
    "operator/operator-sign-in-page.tsx",
    "shell/error-page.tsx",
    "shell/not-found-page.tsx",
    "sign-in/sign-in-page.tsx",
  ]);
});

test("no file of the bundle loads from another origin or evaluates text as code", async () => {
  const names = (await readdir(join(folder, "assets"))).filter((name) => /\.(?:js|css)$/.test(name));
  for (const name of names) {
    const text = await readFile(join(folder, "assets", name), "utf8");
    assert.doesNotMatch(text, /\bnew Function\(|[^.\w]eval\(/, name);
    assert.doesNotMatch(text, /(?:src|href|url\()\s*[:=(]?\s*["']?https?:\/\/(?!www\.w3\.org)/, name);
  }
});
