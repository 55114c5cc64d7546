import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildModel } from "../generator/model.ts";
import type { Document } from "../generator/openapi-document.ts";
import { responseOnlyTypes } from "../generator/request-types.ts";
import { libraries } from "./libraries.ts";
import { changesBetween, reportOf } from "./report.ts";

/**
 * Writes the exported API of each library into its `api-report.txt`, so that reviews show a change as a diff:
 * `npm run api:report [-- LANGUAGE…]`. With `--check`, only compares. With `--against FOLDER`, lists the
 * breaking changes since the reports in that folder.
 */
const clients = join(import.meta.dirname, "..");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false }, against: { type: "string" } },
});
const document = JSON.parse(await readFile(join(clients, "../server/openapi.json"), "utf8")) as Document;
const readOnly = responseOnlyTypes(buildModel(document));

for (const [language, apiOf] of Object.entries(libraries)) {
  if (positionals.length > 0 && !positionals.includes(language)) continue;
  const out = await mkdtemp(join(tmpdir(), `tollgate-api-${language}-`));
  try {
    const report = reportOf(language, await apiOf({ home: join(clients, language), out, readOnly }));
    await writeOrCompare(language, report);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function writeOrCompare(language: string, report: string): Promise<void> {
  const path = join(clients, language, "api-report.txt");
  if (options.against !== undefined) {
    const before = await readFile(join(options.against, language, "api-report.txt"), "utf8");
    const { breaks, additions } = changesBetween(before, report);
    process.stdout.write(`${language}: ${breaks.length} breaks, ${additions.length} additions\n`);
    for (const each of breaks) process.stdout.write(`  ${each}\n`);
    if (breaks.length > 0) process.exitCode = 1;
    return;
  }
  const current = await readFile(path, "utf8").catch(() => "");
  if (current === report) return;
  process.stdout.write(`clients/${language}/api-report.txt\n`);
  if (options.check) process.exitCode = 1;
  else await writeFile(path, report);
}
