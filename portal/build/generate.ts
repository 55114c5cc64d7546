import { readFileSync, writeFileSync } from "node:fs";
import { refusals } from "../../accounts/src/api/refusal.ts";
import { routes } from "../../accounts/src/routes.ts";
import { excuses } from "../../cli/src/merchant/scenarios/excuses.ts";
import { allScenarios } from "../../cli/src/merchant/scenarios/scenarios.ts";
import { modelOf } from "../../clients/generator/model.ts";
import type { TypeReference } from "../../clients/generator/type-reference.ts";
import { acts } from "../../server/src/api/acts.ts";
import { openApi } from "../../server/src/api/openapi.ts";
import { operations } from "../../server/src/api/operations.ts";
import { views } from "../../server/src/api/views.ts";
import { staffRoutes } from "../../server/src/commands/staff-routes.ts";
import { rights } from "../../server/src/people/role.ts";
import { results } from "../../server/src/core/result.ts";
import {
  consoleDoorCodes,
  consoleResults,
  type ConsoleCode,
} from "../../server/src/people/console-result.ts";
import { typeOf, type JsonSchema } from "./type-of-schema.ts";

const place = (name: string): URL => new URL(`../src/generated/${name}`, import.meta.url);

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly request: object;
  readonly response: object;
}

/** What the portal knows of the servers: the form of each question and answer, from the tables that serve them. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const ofAccounts = routes.map(({ method, path, ...route }) => ({ name: `${method} ${path}`, ...route }));
  const ofActs = acts.map(({ name, operation }) => ({ ...operation, name }));
  const sentences = Object.entries(refusals).map(([word, [, message]]) => [word, message] as const);
  const messages = consoleCodes().map((code) => [code, consoleResults[code].message] as const);
  return new Map([
    [
      "accounts.ts",
      [
        heading,
        formsOf("Routes", ofAccounts),
        sentencesOf("refusalSentences", sentences),
        wordsOf("rightOfRoute", rightsOfRoutes()),
      ].join("\n"),
    ],
    [
      "console.ts",
      [
        heading,
        formsOf("Views", views),
        formsOf("Acts", ofActs),
        sentencesOf("resultSentences", messages),
        wordsOf(
          "rightOfAct",
          acts.map(({ name, right }) => [name, { right }] as const),
        ),
      ].join("\n"),
    ],
    ["api.ts", [heading, callsOfApi()].join("\n")],
    [
      "staff.ts",
      [
        heading,
        formsOf("Staff", staffRoutes),
        wordsOf(
          "rightOfStaffAct",
          staffRoutes.filter(({ acts: does }) => does).map(({ name, right }) => [name, { right }] as const),
        ),
      ].join("\n"),
    ],
    ["scenarios.ts", [heading, scenariosOfSandbox()].join("\n")],
  ]);
}

type Fields = readonly { readonly name: string; readonly type: TypeReference }[];

/** What a developer can call from the portal, with examples, and the types by which a client library writes a request. */
function callsOfApi(): string {
  const model = modelOf(JSON.parse(JSON.stringify(openApi(operations))) as Parameters<typeof modelOf>[0]);
  const called = model.areas.flatMap((area) => area.operations);
  const types = new Map<string, Fields>();
  const collect = (type: TypeReference): void => {
    if (type.kind === "list" || type.kind === "map") return collect(type.of);
    if (type.kind !== "object" || types.has(type.name)) return;
    const fields = model.types.find((each) => each.name === type.name)?.fields ?? [];
    types.set(
      type.name,
      fields.map((field) => ({ name: field.name, type: field.type })),
    );
    for (const field of fields) collect(field.type);
  };
  const apiOperations = called.map(({ path, area, name, summary, request, idempotencyField }) => {
    collect({ kind: "object", name: request });
    const declared = operations.find((operation) => operation.path === path);
    const examples = [{ request: declared?.example.request ?? {} }, ...(declared?.scenes ?? [])];
    const samples = examples.map((each) => ({
      ...("title" in each && { title: each.title }),
      request: each.request,
    }));
    return { path, area, name, summary, request, ...(idempotencyField && { idempotencyField }), samples };
  });
  return [
    'import type { TypeReference } from "../../../clients/generator/type-reference.ts";',
    "",
    "export interface ApiOperation {",
    "  readonly path: string;",
    "  readonly area: string;",
    "  readonly name: string;",
    "  readonly summary: string;",
    "  /** The name of its request's type. */",
    "  readonly request: string;",
    "  readonly idempotencyField?: string;",
    "  /** The usual request first; the others say what they show. */",
    "  readonly samples: readonly { readonly title?: string; readonly request: object }[];",
    "}",
    "",
    `export const apiOperations: readonly ApiOperation[] = ${inLines(apiOperations)};`,
    "",
    "interface ApiField {",
    "  readonly name: string;",
    "  readonly type: TypeReference;",
    "}",
    "",
    `export const requestTypes: Readonly<Record<string, readonly ApiField[]>> = ${inLines(Object.fromEntries(types))};`,
    "",
  ].join("\n");
}

/** How every result code is had in the sandbox, as `tollgate scenarios` says it. */
function scenariosOfSandbox(): string {
  const codes = Object.entries(results).map(([code, { status, message }]) => {
    const scenario = Object.hasOwn(allScenarios, code) ? allScenarios[code] : undefined;
    const how = scenario?.how ?? excuses[code]?.why ?? "";
    const { operation } = scenario ?? {};
    return { code, status, message, how, ...(operation !== undefined && { operation }) };
  });
  return [
    "export interface ShownCode {",
    "  readonly code: string;",
    '  readonly status: "S" | "F" | "U";',
    "  readonly message: string;",
    "  /** How it is forced; or why a merchant cannot. */",
    "  readonly how: string;",
    "  /** The operation that gives it; absent when no merchant can force it. */",
    "  readonly operation?: string;",
    "}",
    "",
    `export const shownCodes: readonly ShownCode[] = ${inLines(codes)};`,
    "",
  ].join("\n");
}

function inLines(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

/** What the portal can be told by views and by the door before them; acts are as many as the API has. */
function consoleCodes(): readonly ConsoleCode[] {
  const own = (Object.keys(consoleResults) as ConsoleCode[]).filter((code) => !(code in results));
  const all = new Set<ConsoleCode>([...own, ...consoleDoorCodes, ...views.flatMap((view) => view.results)]);
  all.delete("SUCCESS");
  return [...all];
}

const heading = "// Made by `npm run generate` from the tables of the servers. Changes by hand are lost.\n";

function formsOf(name: string, described: readonly Described[]): string {
  const members = described.map(({ name: key, summary, request, response }) =>
    [
      `  /** ${summary} */`,
      `  ${JSON.stringify(key)}: {`,
      `    request: ${typeOf(request as JsonSchema, 2)};`,
      `    response: ${typeOf(response as JsonSchema, 2)};`,
      "  };",
    ].join("\n"),
  );
  return `export interface ${name} {\n${members.join("\n")}\n}\n`;
}

/** What a second person needs as well, where it takes two. */
function rightsOfRoutes(): readonly (readonly [string, object])[] {
  return routes
    .filter(({ method, who }) => method === "POST" && Object.hasOwn(rights, who))
    .map(({ method, path, who, environment }) => [`${method} ${path}`, { right: who, environment }] as const);
}

function wordsOf(name: string, words: readonly (readonly [string, object])[]): string {
  const lines = words.map(([word, value]) => `  ${JSON.stringify(word)}: ${JSON.stringify(value)},`);
  return `export const ${name} = {\n${lines.join("\n")}\n} as const;\n`;
}

function sentencesOf(name: string, sentences: readonly (readonly [string, string])[]): string {
  const lines = sentences.map(([word, sentence]) => `  ${word}: ${JSON.stringify(sentence)},`);
  return `export const ${name} = {\n${lines.join("\n")}\n} as const;\n`;
}

if (import.meta.main) {
  const isCheck = process.argv.includes("--check");
  for (const [name, text] of generatedFiles()) {
    if (!isCheck) writeFileSync(place(name), text);
    else if (readFileSync(place(name), "utf8") !== text)
      throw new Error(`portal/src/generated/${name} is not up to date. Run npm run generate.`);
  }
}
