import { runAndReadLines, type Runner, type Score } from "../runner.ts";
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

export const libraryCaseIds: readonly string[] = [
  ...prefixIds("sign", signCases),
  ...prefixIds("verify", verifyCases),
  ...prefixIds("keyload", keyload.cases),
  ...prefixIds("keyload", keyload.settings),
  ...prefixIds("money", moneyCases),
  ...prefixIds("models", modelCases),
  ...prefixIds("outcomes", outcomeCases),
  ...prefixIds("http", http.cases),
  ...prefixIds("by-code", byCode.cases),
];

export const serverCaseIds: readonly string[] = [
  ...prefixIds("sign", signCases),
  ...prefixIds("verify", verifyCases),
  ...prefixIds(
    "keyload",
    keyload.cases.filter(({ forServer }) => forServer),
  ),
  "currencies/all",
];

/** Cases that are missing, unknown or run twice count as failed, so that no runner can skip a case. */
export async function runCases(runner: Runner, ids: readonly string[], gatewayUrl: string): Promise<Score> {
  const lines = await runAndReadLines(runner, { CONFORMANCE_URL: gatewayUrl }, runTimeoutMs);
  const lineOfCase = new Map(lines.map((line) => [line.split(" ")[0] ?? "", line]));
  const problems = [
    ...ids.filter((id) => !lineOfCase.has(id)).map((id) => `${id} was not run`),
    ...[...lineOfCase.keys()].filter((id) => !ids.includes(id)).map((id) => `${id} is not a case`),
    ...[...lineOfCase].flatMap(([id, line]) => (line === `${id} ok` ? [] : [line])),
    ...(lineOfCase.size < lines.length ? ["a case was run twice"] : []),
  ];
  const passed = ids.filter((id) => lineOfCase.get(id) === `${id} ok`).length;
  return { passed, total: ids.length, problems };
}

function prefixIds(file: string, cases: readonly { readonly id: string }[]): string[] {
  return cases.map(({ id }) => `${file}/${id}`);
}
