import { readFileSync, writeFileSync } from "node:fs";
import { refusals } from "../../accounts/src/api/refusal.ts";
import { routes } from "../../accounts/src/routes.ts";
import { unforceableCodes } from "../../cli/src/merchant/scenarios/unforceable-codes.ts";
import { allScenarios } from "../../cli/src/merchant/scenarios/scenarios.ts";
import { buildModel } from "../../clients/generator/model.ts";
import type { TypeReference } from "../../clients/generator/type-reference.ts";
import { acts } from "../../server/src/catalog/acts.ts";
import { openApi } from "../../server/src/catalog/openapi.ts";
import { operations } from "../../server/src/catalog/operations.ts";
import { views } from "../../server/src/catalog/views.ts";
import { namesReturnedBy, requestTexts } from "../../server/src/payments/request-texts.ts";
import { operatorCommands } from "../../server/src/processes/operator-commands.ts";
import { staffRoutes } from "../../server/src/staff-console/staff-routes.ts";
import { kindFacts } from "../../server/src/notifications/notification-kinds.ts";
import { permissions } from "../../server/src/people/role.ts";
import type { TranslatedName } from "../../server/src/core/translated-name.ts";
import { results } from "../../server/src/core/result.ts";
import {
  consoleValidationCodes,
  consoleResults,
  type ConsoleCode,
} from "../../server/src/people/console-result.ts";
import { writeType, type JsonSchema } from "./write-schema-type.ts";

const generatedFile = (name: string): URL => new URL(`../src/generated/${name}`, import.meta.url);

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly request: object;
  readonly response: object;
}

/** `generatedFiles` returns the portal's types and texts of the servers' APIs, from the tables that the servers use. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const accountsRoutes = routes.map(({ method, path, ...route }) => ({
    name: `${method} ${path}`,
    ...route,
  }));
  const actOperations = acts.map(({ name, operation }) => ({ ...operation, name }));
  const sentences = Object.entries(refusals).map(([word, [, message]]) => [word, message] as const);
  const messages = consoleCodes().map((code) => [code, consoleResults[code].message] as const);
  return new Map([
    [
      "accounts.ts",
      [
        heading,
        writeForms("Routes", accountsRoutes),
        writeSentences("refusalSentences", sentences),
        writeValues("permissionOfRoute", listRoutePermissions()),
      ].join("\n"),
    ],
    [
      "console.ts",
      [
        heading,
        writeForms("Views", views),
        writeForms("Acts", actOperations),
        writeSentences("resultSentences", messages),
        `export const paymentTextNames = ${JSON.stringify(namesReturnedBy("view"))} as const;\n`,
        writeSentences("notificationKindLabels", listKindLabels()),
        writeValues(
          "permissionOfAct",
          acts.map(({ name, permission }) => [name, { permission }] as const),
        ),
      ].join("\n"),
    ],
    ["api.ts", [heading, writeApiOperations()].join("\n")],
    [
      "staff.ts",
      [
        heading,
        writeForms("Staff", staffRoutes),
        writeValues(
          "permissionOfStaffAct",
          staffRoutes
            .filter(({ changesData }) => changesData)
            .map(({ name, permission }) => [name, { permission }] as const),
        ),
      ].join("\n"),
    ],
    ["scenarios.ts", [heading, writeScenarios()].join("\n")],
    ["english-names.ts", namesIn("english")],
    ["chinese-names.ts", namesIn("chinese")],
  ]);
}

/**
 * `namesIn` writes the names that the server's tables contain in one language, so that a page loads only its own
 * language.
 */
function namesIn(language: keyof TranslatedName): string {
  const commandActs = Object.entries(operatorCommands).flatMap(([name, { auditLabel }]) =>
    typeof auditLabel === "object" ? [[name, auditLabel[language]] as const] : [],
  );
  const paymentTexts = namesReturnedBy("view").map(
    (name) => [name, requestTexts[name].returnedBy.view[language]] as const,
  );
  return [heading, writeNames("commandActs", commandActs), writeNames("paymentTexts", paymentTexts)].join(
    "\n",
  );
}

type Fields = readonly { readonly name: string; readonly type: TypeReference }[];

/** The operations of the API explorer with examples, and the types that the code samples need. */
function writeApiOperations(): string {
  const model = buildModel(
    JSON.parse(JSON.stringify(openApi(operations))) as Parameters<typeof buildModel>[0],
  );
  const apiAreaOperations = model.areas.flatMap((area) => area.operations);
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
  const apiOperations = apiAreaOperations.map(({ path, area, name, summary, request, idempotencyField }) => {
    collect({ kind: "object", name: request });
    const declared = operations.find((operation) => operation.path === path);
    const examples = [{ request: declared?.example.request ?? {} }, ...(declared?.moreExamples ?? [])];
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
    "  /** The name of the request's type. */",
    "  readonly request: string;",
    "  readonly idempotencyField?: string;",
    "  /** Examples of the request: the default one first, the others with a title. */",
    "  readonly samples: readonly { readonly title?: string; readonly request: object }[];",
    "}",
    "",
    `export const apiOperations: readonly ApiOperation[] = ${formatJson(apiOperations)};`,
    "",
    "interface ApiField {",
    "  readonly name: string;",
    "  readonly type: TypeReference;",
    "}",
    "",
    `export const requestTypes: Readonly<Record<string, readonly ApiField[]>> = ${formatJson(Object.fromEntries(types))};`,
    "",
  ].join("\n");
}

/** How to produce each result code in the sandbox; the same texts as in `tollgate scenarios`. */
function writeScenarios(): string {
  const codes = Object.entries(results).map(([code, { status, message }]) => {
    const scenario = Object.hasOwn(allScenarios, code) ? allScenarios[code] : undefined;
    const how = scenario?.instructions ?? unforceableCodes[code]?.reason ?? "";
    const { operation } = scenario ?? {};
    return { code, status, message, how, ...(operation !== undefined && { operation }) };
  });
  return [
    "export interface ShownCode {",
    "  readonly code: string;",
    '  readonly status: "S" | "F" | "U";',
    "  readonly message: string;",
    "  /** How to produce the code, or why a merchant cannot produce it. */",
    "  readonly how: string;",
    "  /** The operation that returns the code; absent if no merchant can produce it. */",
    "  readonly operation?: string;",
    "}",
    "",
    `export const shownCodes: readonly ShownCode[] = ${formatJson(codes)};`,
    "",
  ].join("\n");
}

function formatJson(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

function listKindLabels(): readonly (readonly [string, string])[] {
  return kindFacts.map(([kind, { label }]) => [kind, label]);
}

/**
 * `consoleCodes` returns the result codes of views and of the checks before them. Acts can return every code of the
 * API.
 */
function consoleCodes(): readonly ConsoleCode[] {
  const gatewayCodes = (Object.keys(consoleResults) as ConsoleCode[]).filter((code) => !(code in results));
  const all = new Set<ConsoleCode>([
    ...gatewayCodes,
    ...consoleValidationCodes,
    ...views.flatMap((view) => view.results),
  ]);
  all.delete("SUCCESS");
  return [...all];
}

const heading = "// Generated by `npm run generate` from the servers' tables. Do not edit.\n";

function writeForms(name: string, described: readonly Described[]): string {
  const members = described.map(({ name: key, summary, request, response }) =>
    [
      `  /** ${summary} */`,
      `  ${JSON.stringify(key)}: {`,
      `    request: ${writeType(request as JsonSchema, 2)};`,
      `    response: ${writeType(response as JsonSchema, 2)};`,
      "  };",
    ].join("\n"),
  );
  return `export interface ${name} {\n${members.join("\n")}\n}\n`;
}

/** `listRoutePermissions` returns the permission and environment of each route, which an approval request needs. */
function listRoutePermissions(): readonly (readonly [string, object])[] {
  return routes
    .filter(({ method, access }) => method === "POST" && Object.hasOwn(permissions, access))
    .map(
      ({ method, path, access, environment }) =>
        [`${method} ${path}`, { permission: access, environment }] as const,
    );
}

function writeValues(name: string, words: readonly (readonly [string, object])[]): string {
  const lines = words.map(([word, value]) => `  ${JSON.stringify(word)}: ${JSON.stringify(value)},`);
  return `export const ${name} = {\n${lines.join("\n")}\n} as const;\n`;
}

function writeNames(name: string, names: readonly (readonly [string, string])[]): string {
  return writeSentences(
    name,
    names.map(([key, text]) => [JSON.stringify(key), text]),
  );
}

function writeSentences(name: string, sentences: readonly (readonly [string, string])[]): string {
  const lines = sentences.map(([word, sentence]) => `  ${word}: ${JSON.stringify(sentence)},`);
  return `export const ${name} = {\n${lines.join("\n")}\n} as const;\n`;
}

if (import.meta.main) {
  const isCheck = process.argv.includes("--check");
  for (const [name, text] of generatedFiles()) {
    if (!isCheck) writeFileSync(generatedFile(name), text);
    else if (readFileSync(generatedFile(name), "utf8") !== text)
      throw new Error(`portal/src/generated/${name} is not up to date. Run npm run generate.`);
  }
}
