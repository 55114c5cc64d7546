import { linesOf, type Runner, type Score } from "../runner.ts";
import {
  byCode,
  http,
  keyload,
  modelCases,
  moneyCases,
  outcomeCases,
  signCases,
  verifyCases,
} from "./vectors.ts";

const runTimeoutMs = 300_000;

export const casesOfLibraries: readonly string[] = [
  ...idsOf("sign", signCases),
  ...idsOf("verify", verifyCases),
  ...idsOf("keyload", keyload.cases),
  ...idsOf("keyload", keyload.settings),
  ...idsOf("money", moneyCases),
  ...idsOf("models", modelCases),
  ...idsOf("outcomes", outcomeCases),
  ...idsOf("http", http.cases),
  ...idsOf("by-code", byCode.cases),
];

export const casesOfServer: readonly string[] = [
  ...idsOf("sign", signCases),
  ...idsOf("verify", verifyCases),
  ...idsOf(
    "keyload",
    keyload.cases.filter(({ forServer }) => forServer),
  ),
  "currencies/all",
];

/** Cases that are missing, unknown or run twice count as failed, so that no runner can skip a case. */
export async function runCases(runner: Runner, ids: readonly string[], gatewayUrl: string): Promise<Score> {
  const said = await linesOf(runner, { CONFORMANCE_URL: gatewayUrl }, runTimeoutMs);
  const verdictOf = new Map(said.map((line) => [line.split(" ")[0] ?? "", line]));
  const problems = [
    ...ids.filter((id) => !verdictOf.has(id)).map((id) => `${id} was not run`),
    ...[...verdictOf.keys()].filter((id) => !ids.includes(id)).map((id) => `${id} is not a case`),
    ...[...verdictOf].flatMap(([id, line]) => (line === `${id} ok` ? [] : [line])),
    ...(verdictOf.size < said.length ? ["a case was run twice"] : []),
  ];
  const passed = ids.filter((id) => verdictOf.get(id) === `${id} ok`).length;
  return { passed, of: ids.length, problems };
}

function idsOf(file: string, cases: readonly { readonly id: string }[]): string[] {
  return cases.map(({ id }) => `${file}/${id}`);
}
