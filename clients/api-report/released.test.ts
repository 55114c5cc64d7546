import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { changesBetween } from "./report.ts";

/**
 * A released API stays compatible. `npm run release` stores the reports of the release in `released/`; before
 * the first release there are none. A breaking change is accepted by its line with a reason, as in the API:
 * see RELEASING.md.
 */
const clients = join(import.meta.dirname, "..");

interface AcceptedBreak {
  readonly breaks: readonly string[];
  readonly because: string;
}

for (const language of ["typescript", "java", "php", "python", "go"])
  test(`${language}: no released API is broken, except accepted changes`, () => {
    const read = (name: string): string => readFileSync(join(clients, language, name), "utf8");
    if (!existsSync(join(clients, language, "released/api-report.txt"))) return;
    const accepted = JSON.parse(read("released/accepted-breaks.json")) as readonly AcceptedBreak[];
    const { breaks } = changesBetween(read("released/api-report.txt"), read("api-report.txt"));
    assert.deepEqual(breaks.toSorted(), accepted.flatMap((each) => each.breaks).toSorted());
  });
