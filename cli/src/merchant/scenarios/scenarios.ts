import { resultCodes } from "../../../../clients/typescript/src/generated/result-codes.ts";
import type { Given } from "../../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../../server/src/core/command-errors.ts";
import { columns } from "../../../../server/src/operators/framework/help.ts";
import { didYouMean } from "../../../../server/src/operators/framework/did-you-mean.ts";
import { findGateway } from "../known-gateway.ts";
import { openSandbox } from "../sandbox.ts";
import { showStep } from "../show-step.ts";
import { excuses } from "./unforceable-codes.ts";
import { frontDoorScenarios } from "./request-validation.ts";
import { moneyScenarios } from "./money.ts";
import { paymentScenarios } from "./payments.ts";
import type { Scenarios } from "./scenario.ts";

/** The scenario of each result code; `excuses` has the other codes. */
export const allScenarios: Scenarios = { ...frontDoorScenarios, ...paymentScenarios, ...moneyScenarios };

/** Lists how to force each result code; with a code, forces it and prints the response. */
export async function scenarios(given: Given): Promise<void> {
  const [word] = given.words;
  if (word === undefined) return list(given);
  const code = word.toUpperCase();
  const scenario = Object.hasOwn(allScenarios, code) ? allScenarios[code] : undefined;
  if (!scenario) throw noScenario(word, code);
  const isForPrograms = given.has("json");
  const gateway = await findGateway(given.value("folder"));
  const sandbox = await openSandbox(gateway, isForPrograms ? () => undefined : showStep);
  const answer = await scenario.force(sandbox);
  process.stdout.write(`${JSON.stringify(answer, undefined, isForPrograms ? 0 : 2)}\n`);
  const { resultCode } = answer["result"] as { readonly resultCode?: string };
  if (resultCode !== code) throw new Error(`Expected ${code}, but the response was ${resultCode}.`);
}

function noScenario(word: string, code: string): Error {
  const excuse = Object.hasOwn(excuses, code) ? excuses[code] : undefined;
  if (excuse) return new Error(`${code} cannot be forced by a merchant: ${excuse.why}.`);
  return new UsageError(`There is no result code ${word}.${didYouMean(code, Object.keys(resultCodes))}`);
}

function list(given: Given): void {
  const rows = Object.keys(resultCodes).map((code) => {
    const scenario = Object.hasOwn(allScenarios, code) ? allScenarios[code] : undefined;
    const { operation = "", how = excuses[code]?.why ?? "", movesClock = false } = scenario ?? {};
    return { code, canBeForced: scenario !== undefined, operation, how, movesClock };
  });
  const lines = given.has("json")
    ? rows.map((row) => JSON.stringify(row))
    : [
        ...columns(rows.map(({ code, canBeForced, how }) => [code, canBeForced ? how : `(${how})`])),
        "",
        "  `tollgate scenarios CODE` forces it and prints the response. A merchant can not force the codes in brackets.",
      ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
