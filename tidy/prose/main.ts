import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readTree, type SourceFile } from "../tidy.ts";
import { compare, countByFolder, folderOf, readBaseline, total, writeBaseline } from "./baseline.ts";
import { lintProse, proseFiles, type Finding } from "./lint-prose.ts";
import { rateRule, sentenceRule, wordCountAdvised, wordCountMax, wordRule, type Rate } from "./prose-rule.ts";
import { rateWords } from "./words.ts";

const root = join(import.meta.dirname, "../..");
const baselineFile = join(import.meta.dirname, "baseline.txt");
const help = `npm run lint:prose [-- OPTION] [PATH…]

Compare the findings of the whole repository with tidy/prose/baseline.txt.
With paths, print the findings in these files and folders; \`.\` prints all.

  --write    Write the baseline; its sum must not grow
  --advice   Print sentences of more than ${wordCountAdvised} words, too
  --rate     Print how often words of the old style occur, per 10,000 words
  --summary  Print the findings of each folder at the top and of each rule
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean" },
    advice: { type: "boolean" },
    rate: { type: "boolean" },
    summary: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const paths = positionals.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
const files = proseFiles(readTree(root)).filter(
  ({ path }) =>
    paths.length === 0 || paths.some((each) => each === "." || path === each || path.startsWith(`${each}/`)),
);

if (values.help) print(help);
else if (values.rate) await printRates(files);
else await lint(files);

async function lint(filesToLint: readonly SourceFile[]): Promise<void> {
  const rules = { words: wordRule, sentences: sentenceRule(wordCountMax) };
  const findings = await lintAll(filesToLint, rules);
  if (values.advice)
    printFindings(await lintAll(filesToLint, { sentences: sentenceRule(wordCountAdvised, wordCountMax) }));
  if (values.summary) printSummary(findings);
  else if (paths.length > 0) printFindings(findings);
  if (paths.length > 0) process.exitCode = findings.length > 0 ? 1 : 0;
  else compareWithBaseline(findings);
}

function compareWithBaseline(findings: readonly Finding[]): void {
  const now = countByFolder(findings);
  const baseline = readBaseline(existsSync(baselineFile) ? readFileSync(baselineFile, "utf8") : "");
  const { more, fewer } = compare(now, baseline);
  // A file that moves to another folder takes its findings along, so only the sum must not grow.
  if (values.write && total(now) <= total(baseline)) {
    writeFileSync(baselineFile, writeBaseline(now));
    return;
  }
  printFindings(findings.filter(({ path }) => more.includes(folderOf(path))));
  for (const folder of more)
    print(
      `${folder}: ${now.get(folder) ?? 0} findings, ${baseline.get(folder) ?? 0} in the baseline. Fix the new ones.\n`,
    );
  for (const folder of fewer)
    print(`${folder}: ${now.get(folder) ?? 0} findings, ${baseline.get(folder) ?? 0} in the baseline.\n`);
  if (fewer.length > 0)
    print("Fewer findings: run `npm run lint:prose -- --write` and commit the baseline.\n");
  if (more.length + fewer.length > 0) process.exitCode = 1;
}

async function lintAll(
  filesToLint: readonly SourceFile[],
  rules: Parameters<typeof lintProse>[1],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const file of filesToLint) findings.push(...(await lintProse(file, rules)));
  return findings;
}

async function printRates(filesToLint: readonly SourceFile[]): Promise<void> {
  const rates = { documents: { words: 0, found: 0 }, comments: { words: 0, found: 0 } };
  await lintAll(filesToLint, { rate: rateRule(rateWords, rates) });
  for (const [kind, { words, found }] of Object.entries<Rate>(rates))
    print(
      `${kind}: ${found} in ${words} words, ${((found / Math.max(words, 1)) * 10_000).toFixed(1)} per 10,000\n`,
    );
}

function printFindings(findings: readonly Finding[]): void {
  for (const { path, line, message } of findings) print(`${path}:${line}: ${message}\n`);
}

function printSummary(findings: readonly Finding[]): void {
  printCounts(Map.groupBy(findings, ({ path }) => (path.includes("/") ? path.split("/")[0] : ".")));
  print("\n");
  printCounts(Map.groupBy(findings, ({ message }) => message.replace(/^\d+ words/, "long").split(" -> ")[1]));
}

function printCounts(groups: ReadonlyMap<string | undefined, readonly Finding[]>): void {
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  for (const [name = "", { length }] of sorted) print(`${String(length).padStart(6)}  ${name}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}
