import type { Commands, Given } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const universes = (): Promise<typeof import("./universe.ts")> => import("./universe.ts");

/** Commands for isolated test merchants of the sandbox (universes): limits and cleanup. */
export const universeCommands: Commands = {
  "universe limits": {
    needs: "admin",
    acts: { english: "Set limits of test merchants", chinese: "设置测试商户的限额" },
    does: "Set limits of isolated test merchants in the sandbox",
    about: `Without options it prints the limits. ${ownersSettings}`,
    options: {
      open: { value: "N", does: "Maximum number of open test merchants" },
      kept: { value: "N", does: "Maximum number, including closed ones that are not yet deleted" },
      minutes: { value: "N", does: "Minutes after which a test merchant closes automatically" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate universe limits", "tollgate universe limits --open 500 --minutes 60"],
    run: setLimits,
  },
  "universe sweep": {
    needs: "owner",
    acts: { english: "Deleted test merchants", chinese: "删除测试商户" },
    does: "Delete all data of closed isolated test merchants",
    about: `Run it every few minutes on systems where tests run. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate universe sweep"],
    run: async (given) => {
      const { sweepUniverses } = await universes();
      const sweptCount = await sweepUniverses(operatorOf(given));
      show(given, { sweptCount }, `Deleted the data of ${sweptCount} isolated test merchants.`);
    },
  },
};

const countRange = [0, 1_000_000] as const;

async function setLimits(given: Given): Promise<void> {
  const { limitsInWords, setUniverseLimits } = await universes();
  const openMax = wholeNumber(given, "open", countRange);
  const keptMax = wholeNumber(given, "kept", countRange);
  const minutes = wholeNumber(given, "minutes", [1, 1_000_000]);
  const limits = await setUniverseLimits(operatorOf(given), {
    ...(openMax !== undefined && { openMax }),
    ...(keptMax !== undefined && { keptMax }),
    ...(minutes !== undefined && { lifetimeSeconds: minutes * 60 }),
  });
  show(given, limits, limitsInWords(limits));
}
