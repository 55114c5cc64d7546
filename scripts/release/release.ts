import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { dryRun } from "./dry-run.ts";
import { isReleased, unreleasedEntries, addRelease } from "./changelog.ts";
import { listMigrations, migrationParts } from "./released-migrations.ts";
import { versionOf, versionSource, replaceVersions } from "./version-places.ts";

/**
 * Prepares a release in the working tree: `npm run release -- 1.2.0`, in the root. It writes the version everywhere,
 * dates the changelogs, and records today's OpenAPI documents, migrations and library APIs as released, so that later
 * changes must not break them. It commits nothing. With `--dry-run`, it works in copies, and the libraries are built
 * and checked against the rules of their registries.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "dry-run": { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    keep: { type: "string" },
  },
});
const [version = ""] = positionals;
const problem = options["dry-run"] ? undefined : findVersionProblem(version);
if (options["dry-run"]) {
  const isReady = await dryRun(process.cwd(), positionals[0], { only: options.only, keep: options.keep });
  process.stdout.write(isReady ? "release: ready\n" : "release: not ready\n");
  process.exitCode = isReady ? 0 : 1;
} else if (problem) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  prepareRelease(version, new Date().toISOString().slice(0, 10));
  process.stdout.write(`${version} is prepared. See RELEASING.md for the next steps.\n`);
}

function findVersionProblem(requestedVersion: string): string | undefined {
  if (!/^\d+\.\d+\.\d+(?:-rc\.\d+)?$/.test(requestedVersion))
    return "The version is missing. Example: npm run release -- 1.2.0, or 1.2.0-rc.1 for a candidate";
  const current = versionOf(read);
  if (sortKeyOf(requestedVersion).localeCompare(sortKeyOf(current), "en", { numeric: true }) < 0)
    return `${current} is newer than ${requestedVersion}.`;
  const changelog = read("CHANGELOG.md");
  if (isReleased(changelog, requestedVersion)) return `${requestedVersion} is in CHANGELOG.md already.`;
  return unreleasedEntries(changelog) === "" ? "CHANGELOG.md has nothing under Unreleased." : undefined;
}

/**
 * `sortKeyOf` returns a sort key: a release sorts after its own candidates, and before the candidates of the next
 * release.
 */
function sortKeyOf(each: string): string {
  return each.includes("-rc.") ? each.replace("-rc.", ".0.") : `${each}.1.0`;
}

function prepareRelease(requestedVersion: string, day: string): void {
  writeFileSync(
    versionSource,
    read(versionSource).replace(/"version": "[^"]+"/, `"version": "${requestedVersion}"`),
  );
  for (const [path, text] of replaceVersions(read)) writeFileSync(path, text);

  for (const path of ["CHANGELOG.md", ...globSync("clients/*/CHANGELOG.md")]) {
    // A library without changes is released with the others, and its changelog does not change.
    if (unreleasedEntries(read(path)) !== "")
      writeFileSync(path, addRelease(read(path), requestedVersion, day));
  }
  for (const folder of ["server", "sandbox"]) {
    copyFileSync(`${folder}/openapi.json`, `${folder}/released/openapi.json`);
    writeFileSync(`${folder}/released/accepted-breaks.json`, "[]\n");
  }
  for (const path of globSync("clients/*/api-report.txt")) {
    const folder = join(dirname(path), "released");
    mkdirSync(folder, { recursive: true });
    copyFileSync(path, join(folder, "api-report.txt"));
    writeFileSync(join(folder, "accepted-breaks.json"), "[]\n");
  }
  for (const part of migrationParts) {
    mkdirSync(`${part}/released`, { recursive: true });
    writeFileSync(
      `${part}/released/migrations.json`,
      `${JSON.stringify(listMigrations(".", part), null, 2)}\n`,
    );
  }
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
