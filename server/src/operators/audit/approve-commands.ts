import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { UsageError } from "../../core/command-errors.ts";

const approvals = (): Promise<typeof import("./approve.ts")> => import("./approve.ts");

/** Commands to list and approve changes that need an approval in live (four-eyes principle). */
export const approveCommands: Commands = {
  "approval list": {
    needs: "support",
    does: "List pending approvals with all their changes",
    about:
      "In live, changes of keys, fees, API access and payouts need an approval. The requester's command fails, " +
      "and its request is listed here for 24 hours.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate approval list", "tollgate approval list --json"],
    run: async (given) => {
      const { findPendingApprovals, askedTable } = await approvals();
      const asked = await findPendingApprovals(operatorOf(given));
      show(given, asked, askedTable(asked));
    },
  },
  "approval approve": {
    needs: "operator",
    alsoFor: "finance",
    acts: { english: "Approved another person's request", chinese: "批准他人的请求" },
    takes: ["NUMBER"],
    does: "Approve another person's request; the requester then runs it again",
    about:
      "Approve with another login than the requester's; its role must be allowed to make the change. An " +
      "approval is valid for one hour and one transaction, and only for the row changes that `approval list` " +
      `shows. PostgreSQL checks both. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate approval approve 12 --reason 'Checked with the merchant by telephone'"],
    run: async (given) => {
      const { approveRequest } = await approvals();
      const askedId = Number(given.words[0]);
      if (!Number.isSafeInteger(askedId) || askedId < 1)
        throw new UsageError("NUMBER must be a number from the first column of `tollgate approval list`.");
      const asked = await approveRequest(operatorOf(given), askedId);
      show(
        given,
        asked,
        `Approved: ${asked.act} ${asked.subject}. ${asked.askedBy} must run the same command again within an ` +
          "hour.",
      );
    },
  },
};
