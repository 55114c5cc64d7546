import { resultCodes } from "../../../../clients/typescript/src/generated/result-codes.ts";
import type { CommandArguments } from "../../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../../server/src/core/command-errors.ts";
import { alignColumns } from "../../../../server/src/operators/framework/help.ts";
import { didYouMean } from "../../../../server/src/operators/framework/did-you-mean.ts";
import { findGateway } from "../configured-gateway.ts";
import { openSandbox } from "../sandbox.ts";
import { printStep } from "../print-step.ts";
import { unforceableCodes } from "./unforceable-codes.ts";
import { requestValidationScenarios } from "./request-validation-scenarios.ts";
import { moneyScenarios } from "./money-scenarios.ts";
import { paymentScenarios } from "./payment-scenarios.ts";
import type { Scenarios } from "./scenario.ts";

/** The scenario of each result code; `unforceableCodes` has the other codes. */
export const allScenarios: Scenarios = {
  ...requestValidationScenarios,
  ...paymentScenarios,
  ...moneyScenarios,
};

/** Lists how to force each result code; with a code, forces it and prints the response. */
export async function scenarios(args: CommandArguments): Promise<void> {
  const [text] = args.positionals;
  if (text === undefined) return listScenarios(args);
  const code = text.toUpperCase();
  const scenario = Object.hasOwn(allScenarios, code) ? allScenarios[code] : undefined;
  if (!scenario) throw noScenarioError(text, code);
  const isForPrograms = args.has("json");
  const gateway = await findGateway(args.value("folder"));
  const sandbox = await openSandbox(gateway, isForPrograms ? () => undefined : printStep);
  const answer = await scenario.force(sandbox);
  process.stdout.write(`${JSON.stringify(answer, undefined, isForPrograms ? 0 : 2)}\n`);
  const { resultCode } = answer["result"] as { readonly resultCode?: string };
  if (resultCode !== code) throw new Error(`Expected ${code}, but the response was ${resultCode}.`);
}

function noScenarioError(text: string, code: string): Error {
  const unforceable = Object.hasOwn(unforceableCodes, code) ? unforceableCodes[code] : undefined;
  if (unforceable) return new Error(`${code} cannot be forced by a merchant: ${unforceable.reason}.`);
  return new UsageError(`There is no result code ${text}.${didYouMean(code, Object.keys(resultCodes))}`);
}

function listScenarios(args: CommandArguments): void {
  const rows = Object.keys(resultCodes).map((code) => {
    const scenario = Object.hasOwn(allScenarios, code) ? allScenarios[code] : undefined;
    const {
      operation = "",
      instructions = unforceableCodes[code]?.reason ?? "",
      movesClock = false,
    } = scenario ?? {};
    return { code, canBeForced: scenario !== undefined, operation, how: instructions, movesClock };
  });
  const lines = args.has("json")
    ? rows.map((row) => JSON.stringify(row))
    : [
        ...alignColumns(rows.map(({ code, canBeForced, how }) => [code, canBeForced ? how : `(${how})`])),
        "",
        "  `tollgate scenarios CODE` forces it and prints the response. A merchant can not force the codes in brackets.",
      ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
