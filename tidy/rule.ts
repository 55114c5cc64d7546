import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readTree, type SourceFile } from "./tidy.ts";

/**
 * A rule for the whole repository. Each rule is tested twice: on the tree, where it must find nothing; and on files
 * that break it, where it must report each of them and none of the files next to them.
 */
export interface Rule {
  readonly name: string;
  readonly appliesTo: (path: string) => boolean;
  /** The minimum number of files in the tree; fewer means that the rule no longer finds its files. */
  readonly fileCountMin: number;
  readonly check: (files: readonly SourceFile[], tree: readonly SourceFile[]) => string[];
  readonly breaks: readonly SourceFile[];
  readonly allowed?: readonly SourceFile[];
}

export const file = (path: string, text = ""): SourceFile => ({ path, text });
export const src = (name: string, text = ""): SourceFile => file(`server/src/${name}`, text);

/**
 * `joinHalves` joins two halves of a forbidden word for an example. The rule would report the example file itself if it
 * contained the whole word.
 */
export const joinHalves = (first: string, second: string): string => first + second;

const tree = readTree(join(import.meta.dirname, ".."));

export function testRule(rule: Rule): void {
  void test(rule.name, () => {
    const checkedFiles = tree.filter(({ path }) => rule.appliesTo(path));
    assert.ok(
      checkedFiles.length >= rule.fileCountMin,
      `checked ${checkedFiles.length} files, fewer than ${rule.fileCountMin}`,
    );
    assert.deepEqual(rule.check(checkedFiles, tree), []);
  });

  void test(`a violation is found: ${rule.name}`, () => {
    assert.ok(rule.breaks.length > 0);
    const example = [...(rule.allowed ?? []), ...rule.breaks];
    const checkedFiles = example.filter(({ path }) => rule.appliesTo(path));
    const named = rule
      .check(checkedFiles, example)
      .map((violation) => violation.slice(0, violation.indexOf(": ")));
    assert.deepEqual([...new Set(named)].sort(), rule.breaks.map(({ path }) => path).sort());
  });
}
