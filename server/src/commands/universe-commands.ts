import type { Commands, Given } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const universes = (): Promise<typeof import("./universe.ts")> => import("./universe.ts");

/** Commands about the sandbox's universes: how many there may be, and what is left of closed ones. */
export const universeCommands: Commands = {
  "universe limits": {
    needs: "admin",
    acts: true,
    does: "how many universes the sandbox has at once, and for how long",
    about: `Without an option it tells the limits and changes none. ${ownersSettings}`,
    options: {
      open: { value: "N", does: "how many may be open at once" },
      kept: { value: "N", does: "how many there may be with those that are closed and not yet swept" },
      minutes: { value: "N", does: "after how long one closes by itself" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate universe limits", "tollgate universe limits --open 500 --minutes 60"],
    run: setLimits,
  },
  "universe sweep": {
    needs: "owner",
    acts: true,
    does: "delete all that is left of universes that were closed",
    about: `Run it every few minutes where tests run. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate universe sweep"],
    run: async (given) => {
      const { sweepUniverses } = await universes();
      const sweptCount = await sweepUniverses(operatorOf(given));
      show(given, { sweptCount }, `${sweptCount} universes swept`);
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
