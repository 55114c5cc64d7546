import { wrongLineCounts, missingParts } from "./own-code.ts";
import { file, testRule, type Rule } from "./rule.ts";

const page = "docs/internals/own-code.md";
const isPage = (path: string): boolean => path === page;
const row = (places: string, lines: string): string => `| part | ${places} | ${lines} | none | a | b | c |\n`;
const ten = "line\n".repeat(10);

const rules: readonly Rule[] = [
  {
    name: "each file and folder of the list of own code exists",
    appliesTo: isPage,
    fileCountMin: 1,
    check: missingParts,
    allowed: [file("server/a.ts", ten)],
    breaks: [file(page, row("`server/a.ts`", "10") + row("`server`, `server/b.ts`", "10"))],
  },
  {
    name: "the list of own code has the number of lines within a fifth",
    appliesTo: isPage,
    fileCountMin: 1,
    check: wrongLineCounts,
    allowed: [file("server/a.ts", ten), file("server/a.test.ts", ten), file("server/b.js", ten)],
    breaks: [file(page, row("`server`", "20") + row("`server/a.ts`", "13"))],
  },
  {
    name: "the list of own code has table rows",
    appliesTo: isPage,
    fileCountMin: 1,
    check: wrongLineCounts,
    breaks: [file(page, "| part | server/a.ts | some | none |\n")],
  },
];

for (const rule of rules) testRule(rule);
