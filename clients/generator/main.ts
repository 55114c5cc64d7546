import { globSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { conformanceModels, conformanceNotifications, conformanceOutcomes } from "./conformance-models.ts";
import {
  replaceBetweenMarkers,
  generatedNotice,
  notificationTable,
  operationTable,
  type Emitter,
  type GeneratedFile,
} from "./emitter.ts";
import { buildModel, type Model } from "./model.ts";
import type { Document } from "./openapi-document.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { installPart } from "./install-part.ts";
import { libraryCalls } from "./library-calls.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { readmeParts } from "./readme-parts.ts";
import { typescript } from "./typescript.ts";

/**
 * Writes all generated parts of the client libraries from the OpenAPI document; with `--check`, only
 * compares.
 */
const emitters: readonly Emitter[] = [typescript, java, php, python, go];

const clients = fileURLToPath(new URL("../", import.meta.url));
const { values: options } = parseArgs({ options: { check: { type: "boolean", default: false } } });

const document = JSON.parse(await readFile(join(clients, "../server/openapi.json"), "utf8")) as Document;
const { version } = document.info;
const model = buildModel(document);
const files = [
  conformanceModels(model),
  conformanceNotifications(model),
  conformanceOutcomes(model),
  libraryCalls(model),
  ...emitters.flatMap((emitter) => emitter.emit(model)),
  ...(await Promise.all(emitters.map((emitter) => buildReadme(emitter, model)))),
];
const outdated = await findOutdatedFiles(files);
const orphaned = await findOrphanedFiles(files);
if (options.check && outdated.length + orphaned.length > 0) {
  process.stderr.write(`Generated files are outdated. Run \`node clients/generator/main.ts\`:\n`);
  process.exitCode = 1;
}
for (const { path, text } of outdated) {
  process.stdout.write(`clients/${path}\n`);
  if (options.check) continue;
  await mkdir(dirname(join(clients, path)), { recursive: true });
  await writeFile(join(clients, path), text);
}
for (const path of orphaned) {
  process.stdout.write(`clients/${path}: no longer generated\n`);
  if (!options.check) await rm(join(clients, path));
}

/** Updates the generated parts of a README: tables, shared texts and example programs. */
async function buildReadme({ language, callOf }: Emitter, apiModel: Model): Promise<GeneratedFile> {
  const path = `${language}/README.md`;
  const readme = await readFile(join(clients, path), "utf8");
  const withOperations = replaceBetweenMarkers(readme, "operations", operationTable(apiModel, callOf));
  let text = replaceBetweenMarkers(withOperations, "notifications", notificationTable(apiModel));
  text = replaceBetweenMarkers(text, "install", installPart(language, version));
  for (const [name, part] of Object.entries(readmeParts)) text = replaceBetweenMarkers(text, name, part);
  for (const [, name = ""] of readme.matchAll(/<!-- example ([\w./-]+) -->/g)) {
    const snippet = await readFile(join(clients, language, "examples", name), "utf8");
    text = replaceBetweenMarkers(
      text,
      `example ${name}`,
      `\`\`\`${extname(name).slice(1)}\n${snippet}\`\`\``,
    );
  }
  return { path, text };
}

/** Finds generated files whose type no longer exists. */
async function findOrphanedFiles(all: readonly GeneratedFile[]): Promise<string[]> {
  const current = new Set(all.map(({ path }) => path));
  const sources = emitters.flatMap(({ language }) =>
    globSync(`${language}/{src/**/*.*,*.go}`, { cwd: clients }).filter((path) => !current.has(path)),
  );
  const texts = await Promise.all(sources.map((path) => readFile(join(clients, path), "utf8")));
  return sources.filter((_, index) => texts[index]?.slice(0, 400).includes(generatedNotice));
}

async function findOutdatedFiles(all: readonly GeneratedFile[]): Promise<GeneratedFile[]> {
  const currentTexts = await Promise.all(
    all.map(({ path }) => readFile(join(clients, path), "utf8").catch(() => undefined)),
  );
  return all.filter(({ text }, index) => currentTexts[index] !== text);
}
