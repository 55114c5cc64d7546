import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownerSettingsHelp } from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { UsageError } from "../../core/command-errors.ts";

const importApprovals = (): Promise<typeof import("./approve.ts")> => import("./approve.ts");

/** Commands to list and approve changes that need an approval in live (four-eyes principle). */
export const approveCommands: Commands = {
  "approval list": {
    requiredRole: "support",
    summary: "List pending approvals with all their changes",
    description:
      "In live, changes of keys, fees, API access and payouts need an approval. The requester's command fails, " +
      "and its request is listed here for 24 hours.\n" +
      ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate approval list", "tollgate approval list --json"],
    run: async (args) => {
      const { findPendingApprovals, approvalTable } = await importApprovals();
      const requests = await findPendingApprovals(operatorOf(args));
      printResult(args, requests, approvalTable(requests));
    },
  },
  "approval approve": {
    requiredRole: "operator",
    alternativeRole: "finance",
    auditLabel: { english: "Approved another person's request", chinese: "批准他人的请求" },
    positionals: ["NUMBER"],
    summary: "Approve another person's request; the requester then runs it again",
    description:
      "Approve with another login than the requester's; its role must be allowed to make the change. An " +
      "approval is valid for one hour and one transaction, and only for the row changes that `approval list` " +
      `shows. PostgreSQL checks both. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate approval approve 12 --reason 'Checked with the merchant by telephone'"],
    run: async (args) => {
      const { approveRequest } = await importApprovals();
      const requestId = Number(args.positionals[0]);
      if (!Number.isSafeInteger(requestId) || requestId < 1)
        throw new UsageError("NUMBER must be a number from the first column of `tollgate approval list`.");
      const request = await approveRequest(operatorOf(args), requestId);
      printResult(
        args,
        request,
        `Approved: ${request.act} ${request.subject}. ${request.askedBy} must run the same command again within an ` +
          "hour.",
      );
    },
  },
};
