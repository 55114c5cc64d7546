import { resultCodes } from "../../../../clients/typescript/src/generated/result-codes.ts";
import { UsageError, type Given } from "../../../../server/src/commands/command.ts";
import { columns } from "../../../../server/src/commands/help.ts";
import { didYouMean } from "../../../../server/src/commands/did-you-mean.ts";
import { findGateway } from "../known-gateway.ts";
import { openSandbox } from "../sandbox.ts";
import { showStep } from "../show-step.ts";
import { excuses } from "./excuses.ts";
import { frontDoorScenarios } from "./front-door.ts";
import { moneyScenarios } from "./money.ts";
import { paymentScenarios } from "./payments.ts";
import type { Scenarios } from "./scenario.ts";

/** How each result code is had, by code; `excuses` has the others. */
export const allScenarios: Scenarios = { ...frontDoorScenarios, ...paymentScenarios, ...moneyScenarios };

/** Lists how every result code is forced; with a code, forces it and shows the answer. */
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
  if (resultCode !== code) throw new Error(`It should have been ${code}, and was ${resultCode}.`);
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
        "  `tollgate scenarios CODE` does it and shows the answer. What stands in brackets no merchant can force.",
      ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
