import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { changesBetween } from "./report.ts";

/**
 * What a release has promised stays. `npm run release` puts the reports of its day into `released/`; before the first release there is none, and
 * nothing is promised. A break is accepted by its line, with a reason, as one of the interface is: see RELEASING.md.
 */
const clients = join(import.meta.dirname, "..");

interface Accepted {
  readonly breaks: readonly string[];
  readonly because: string;
}

for (const language of ["typescript", "java", "php", "python", "go"])
  test(`${language}: nothing that was released is broken, but what was accepted`, () => {
    const read = (name: string): string => readFileSync(join(clients, language, name), "utf8");
    if (!existsSync(join(clients, language, "released/api-report.txt"))) return;
    const accepted = JSON.parse(read("released/accepted-breaks.json")) as readonly Accepted[];
    const { breaks } = changesBetween(read("released/api-report.txt"), read("api-report.txt"));
    assert.deepEqual(breaks.toSorted(), accepted.flatMap((each) => each.breaks).toSorted());
  });
