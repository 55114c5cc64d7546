import { type Commands } from "../framework/command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

/** Commands for payout files: approval, void, and recovery after a database restore. */
export const payoutFileCommands: Commands = {
  "payout files": {
    requiredRole: "support",
    summary: "List payout files, newest first",
    description: ownerSettingsHelp,
    options: {
      limit: { value: "N", summary: "Maximum number of files (default 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout files"],
    run: async (args) => {
      const { findFiles, filesTable } =
        await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const files = await findFiles(operatorOf(args), parseWholeNumber(args, "limit", [1, 100_000]) ?? 100);
      printResult(args, files, filesTable(files));
    },
  },
  "payout show": {
    requiredRole: "finance",
    positionals: ["FILE"],
    summary: "Print all payees of a payout file, and the digest to approve",
    description: `Prints each payee with masked account, amount and changes since its last payout. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout show 20261118093000000064213000000000001"],
    run: async (args) => {
      const { reviewFile, fileTable } =
        await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const details = await reviewFile(operatorOf(args), args.positionals[0] ?? "");
      printResult(args, details, fileTable(details));
    },
  },
  "payout approve": {
    requiredRole: "finance",
    auditLabel: { english: "Approved a payout file", chinese: "批准打款文件" },
    positionals: ["FILE"],
    summary: "Approve a planned payout file that another person planned",
    description:
      "The database rejects the login that planned the file, and a wrong digest. An approval is valid for 24 " +
      "hours.\n" +
      ownerSettingsHelp,
    options: {
      digest: { value: "DIGEST", summary: "Digest printed by `payout show`", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout approve 20261118093000000064213000000000001 --digest 5f0c…"],
    run: async (args) => {
      const { approveFile } = await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const file = await approveFile(
        operatorOf(args),
        args.positionals[0] ?? "",
        requiredOption(args, "digest"),
      );
      printResult(args, file, "Approved. The next `payout run` hands it over.");
    },
  },
  "payout void": {
    requiredRole: "finance",
    auditLabel: { english: "Voided a payout file", chinese: "作废打款文件" },
    positionals: ["FILE"],
    summary: "Void a payout file that never reached the bank",
    description:
      "A file that is not released is dropped at once. Otherwise two people run this command: the first " +
      "requests it, the second confirms it. The payouts then fail, and their batches are due again. Rejected " +
      "once the bank has reported on one of its payouts.\n" +
      ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout void 20261118093000000064213000000000001"],
    run: async (args) => {
      const { voidFile } = await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const outcome = await voidFile(operatorOf(args), args.positionals[0] ?? "");
      const texts = {
        dropped: "Dropped. The file had no payouts yet.",
        requested: "Requested. Another person confirms it with the same command.",
        voided: "Voided. Its payouts failed, and their batches are due again.",
      };
      printResult(args, { outcome }, texts[outcome]);
    },
  },
  "payout recover": {
    requiredRole: "finance",
    auditLabel: { english: "Recovered a payout file", chinese: "恢复打款文件" },
    positionals: ["PATH"],
    summary: "Plan a payout file again from its copy, after a restore",
    description:
      "For a file that the bank received after the time to which the database was restored. It is planned from " +
      "the copy in the bank folder (handed-over/BANK/FILE.xml). Another person approves it, and the next " +
      "`payout run` stores it as handed over.\n" +
      ownerSettingsHelp,
    options: {
      bank: { value: "NAME", summary: "Bank that received the file", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout recover --bank first /var/spool/payouts/handed-over/first/20261118093000000064213000000000001.xml",
    ],
    run: async (args) => {
      const { recoverFile } = await import("../../settlement/payouts/recover-payout-file.workflow.ts");
      const file = await recoverFile(
        operatorOf(args),
        requiredOption(args, "bank"),
        args.positionals[0] ?? "",
      );
      printResult(
        args,
        file,
        `Planned as ${file.fileId}. Another person approves it; then run \`payout run\`.`,
      );
    },
  },
  "payout resync": {
    requiredRole: "finance",
    auditLabel: { english: "Stated the newest payout file", chinese: "声明最新的打款文件" },
    requiresApproval: true,
    summary: "State the newest payout file in the bank folder, after a restore",
    description:
      "Two people run this command: the first states the file, the second confirms it. Then `payout run` " +
      "accepts this folder again. First run `payout recover` for each file that the bank received; otherwise " +
      `its merchants are paid twice. ${ownerSettingsHelp}`,
    options: {
      bank: { value: "NAME", summary: "Bank of the folder", isRequired: true },
      folder: { value: "FOLDER", summary: "Bank folder", isRequired: true },
      newest: { value: "FILE", summary: "Newest file in the folder, or `none`", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout resync --bank first --folder /var/spool/payouts --newest none"],
    run: async (args) => {
      const { resyncFolder } = await import("../../settlement/payouts/bank-folder.workflow.ts");
      const outcome = await resyncFolder(operatorOf(args), {
        bank: requiredOption(args, "bank"),
        folder: requiredOption(args, "folder"),
        newest: requiredOption(args, "newest"),
      });
      const texts = {
        requested: "Stated. Another person confirms it with the same command.",
        confirmed: "confirmed",
      };
      printResult(args, { outcome }, texts[outcome]);
    },
  },
};
