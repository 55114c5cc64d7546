import type { Commands, CommandArguments } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownerSettingsHelp } from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const importUniverses = (): Promise<typeof import("./manage-universes.ts")> =>
  import("./manage-universes.ts");

/** Commands for isolated test merchants of the sandbox (universes): limits and cleanup. */
export const universeCommands: Commands = {
  "universe limits": {
    requiredRole: "admin",
    auditLabel: { english: "Set limits of test merchants", chinese: "设置测试商户的限额" },
    summary: "Set limits of isolated test merchants in the sandbox",
    description: `Without options it prints the limits. ${ownerSettingsHelp}`,
    options: {
      open: { value: "N", summary: "Maximum number of open test merchants" },
      kept: { value: "N", summary: "Maximum number, including closed ones that are not yet deleted" },
      minutes: { value: "N", summary: "Minutes after which a test merchant closes automatically" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate universe limits", "tollgate universe limits --open 500 --minutes 60"],
    run: setLimits,
  },
  "universe sweep": {
    requiredRole: "owner",
    auditLabel: { english: "Deleted test merchants", chinese: "删除测试商户" },
    summary: "Delete all data of closed isolated test merchants",
    description: `Run it every few minutes on systems where tests run. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate universe sweep"],
    run: async (args) => {
      const { sweepUniverses } = await importUniverses();
      const sweptCount = await sweepUniverses(operatorOf(args));
      printResult(args, { sweptCount }, `Deleted the data of ${sweptCount} isolated test merchants.`);
    },
  },
};

const countRange = [0, 1_000_000] as const;

async function setLimits(args: CommandArguments): Promise<void> {
  const { universeLimitsText, setUniverseLimits } = await importUniverses();
  const openMax = parseWholeNumber(args, "open", countRange);
  const keptMax = parseWholeNumber(args, "kept", countRange);
  const minutes = parseWholeNumber(args, "minutes", [1, 1_000_000]);
  const limits = await setUniverseLimits(operatorOf(args), {
    ...(openMax !== undefined && { openMax }),
    ...(keptMax !== undefined && { keptMax }),
    ...(minutes !== undefined && { lifetimeSeconds: minutes * 60 }),
  });
  printResult(args, limits, universeLimitsText(limits));
}
