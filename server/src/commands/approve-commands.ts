import type { Commands } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "./operator.ts";
import { show } from "./show.ts";
import { UsageError } from "./command.ts";

const approvals = (): Promise<typeof import("./approve.ts")> => import("./approve.ts");

/** Commands of the second person: in live, keys, fees, who may call and payouts take two. */
export const approveCommands: Commands = {
  "asked list": {
    needs: "support",
    does: "what waits for a second person in live, with all that it would change",
    about:
      "Keys, fees, who may call and payouts take two people in live: the first one's command is refused, and waits here for a day.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate asked list", "tollgate asked list --json"],
    run: async (given) => {
      const { findAsked, askedTable } = await approvals();
      const asked = await findAsked(operatorOf(given));
      show(given, asked, askedTable(asked));
    },
  },
  "asked approve": {
    needs: "operator",
    alsoFor: "finance",
    acts: true,
    takes: ["NUMBER"],
    does: "approve what somebody else has asked for; who asked then runs the same command again",
    about:
      "It is another login than the one that asked, which may make the changes itself. An approval is good for one transaction,\n" +
      `for exactly the row changes that \`asked list\` shows, and for an hour. PostgreSQL checks both. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate asked approve 12 --reason 'Checked with the merchant by telephone'"],
    run: async (given) => {
      const { approveAsked } = await approvals();
      const askedId = Number(given.words[0]);
      if (!Number.isSafeInteger(askedId) || askedId < 1)
        throw new UsageError("NUMBER is what `tollgate asked list` shows first.");
      const asked = await approveAsked(operatorOf(given), askedId);
      show(
        given,
        asked,
        `Approved: ${asked.act} ${asked.subject}. ${asked.askedBy} runs the same command again, within an hour.`,
      );
    },
  },
};
