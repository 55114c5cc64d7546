import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readTree, type SourceFile } from "./tidy.ts";

/**
 * A rule that the whole repository keeps. Each one is run twice: on the tree, where it finds nothing,
 * and on files that break it, where it has to name each of them and nothing that stands beside them.
 */
export interface Rule {
  readonly name: string;
  readonly looksAt: (path: string) => boolean;
  /** The tree has at least this many files to look at; fewer means that the rule has gone blind. */
  readonly fileCountMin: number;
  readonly check: (files: readonly SourceFile[], tree: readonly SourceFile[]) => string[];
  readonly breaks: readonly SourceFile[];
  readonly beside?: readonly SourceFile[];
}

export const file = (path: string, text = ""): SourceFile => ({ path, text });
export const src = (name: string, text = ""): SourceFile => file(`server/src/${name}`, text);

/** Examples of forbidden words are written in two halves, or the rule would find them here. */
export const halves = (first: string, second: string): string => first + second;

const tree = readTree(join(import.meta.dirname, ".."));

export function keepsRule(rule: Rule): void {
  void test(rule.name, () => {
    const seen = tree.filter(({ path }) => rule.looksAt(path));
    assert.ok(
      seen.length >= rule.fileCountMin,
      `looked at ${seen.length} files, fewer than ${rule.fileCountMin}`,
    );
    assert.deepEqual(rule.check(seen, tree), []);
  });

  void test(`caught, if broken: ${rule.name}`, () => {
    assert.ok(rule.breaks.length > 0);
    const example = [...(rule.beside ?? []), ...rule.breaks];
    const seen = example.filter(({ path }) => rule.looksAt(path));
    const named = rule.check(seen, example).map((violation) => violation.slice(0, violation.indexOf(": ")));
    assert.deepEqual([...new Set(named)].sort(), rule.breaks.map(({ path }) => path).sort());
  });
}
