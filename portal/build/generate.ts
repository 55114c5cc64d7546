import { readFileSync, writeFileSync } from "node:fs";
import { refusals } from "../../accounts/src/api/refusal.ts";
import { routes } from "../../accounts/src/routes.ts";
import { acts } from "../../server/src/api/acts.ts";
import { views } from "../../server/src/api/views.ts";
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
      [heading, formsOf("Routes", ofAccounts), sentencesOf("refusalSentences", sentences)].join("\n"),
    ],
    [
      "console.ts",
      [
        heading,
        formsOf("Views", views),
        formsOf("Acts", ofActs),
        sentencesOf("resultSentences", messages),
      ].join("\n"),
    ],
  ]);
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
