import { type Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

/** Commands for payout files: approval, void, and recovery after a database restore. */
export const payoutFileCommands: Commands = {
  "payout files": {
    needs: "support",
    does: "List payout files, newest first",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "Maximum number of files (default 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout files"],
    run: async (given) => {
      const { findFiles, filesTable } =
        await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const files = await findFiles(operatorOf(given), wholeNumber(given, "limit", [1, 100_000]) ?? 100);
      show(given, files, filesTable(files));
    },
  },
  "payout show": {
    needs: "finance",
    takes: ["FILE"],
    does: "Print all payees of a payout file, and the digest to approve",
    about: `Prints each payee with masked account, amount and changes since its last payout. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout show 20261118093000000064213000000000001"],
    run: async (given) => {
      const { showFile, fileTable } =
        await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const shown = await showFile(operatorOf(given), given.words[0] ?? "");
      show(given, shown, fileTable(shown));
    },
  },
  "payout approve": {
    needs: "finance",
    acts: { english: "Approved a payout file", chinese: "批准打款文件" },
    takes: ["FILE"],
    does: "Approve a planned payout file that another person planned",
    about:
      "The database rejects the login that planned the file, and a wrong digest. An approval is valid for 24 " +
      "hours.\n" +
      ownersSettings,
    options: {
      digest: { value: "DIGEST", does: "Digest printed by `payout show`", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout approve 20261118093000000064213000000000001 --digest 5f0c…"],
    run: async (given) => {
      const { approveFile } = await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const file = await approveFile(operatorOf(given), given.words[0] ?? "", required(given, "digest"));
      show(given, file, "Approved. The next `payout run` hands it over.");
    },
  },
  "payout void": {
    needs: "finance",
    acts: { english: "Voided a payout file", chinese: "作废打款文件" },
    takes: ["FILE"],
    does: "Void a payout file that never reached the bank",
    about:
      "A file that is not released is dropped at once. Otherwise two people run this command: the first " +
      "requests it, the second confirms it. The payouts then fail, and their batches are due again. Rejected " +
      "once the bank has reported on one of its payouts.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout void 20261118093000000064213000000000001"],
    run: async (given) => {
      const { voidFile } = await import("../../settlement/payouts/approve-payout-file.workflow.ts");
      const outcome = await voidFile(operatorOf(given), given.words[0] ?? "");
      const texts = {
        dropped: "Dropped. The file had no payouts yet.",
        requested: "Requested. Another person confirms it with the same command.",
        voided: "Voided. Its payouts failed, and their batches are due again.",
      };
      show(given, { outcome }, texts[outcome]);
    },
  },
  "payout recover": {
    needs: "finance",
    acts: { english: "Recovered a payout file", chinese: "恢复打款文件" },
    takes: ["PATH"],
    does: "Plan a payout file again from its copy, after a restore",
    about:
      "For a file that the bank received after the time to which the database was restored. It is planned from " +
      "the copy in the bank folder (handed-over/BANK/FILE.xml). Another person approves it, and the next " +
      "`payout run` stores it as handed over.\n" +
      ownersSettings,
    options: {
      bank: { value: "NAME", does: "Bank that received the file", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout recover --bank first /var/spool/payouts/handed-over/first/20261118093000000064213000000000001.xml",
    ],
    run: async (given) => {
      const { recoverFile } = await import("../../settlement/payouts/recover-payout-file.workflow.ts");
      const file = await recoverFile(operatorOf(given), required(given, "bank"), given.words[0] ?? "");
      show(given, file, `Planned as ${file.fileId}. Another person approves it; then run \`payout run\`.`);
    },
  },
  "payout resync": {
    needs: "finance",
    acts: { english: "Stated the newest payout file", chinese: "声明最新的打款文件" },
    requiresApproval: true,
    does: "State the newest payout file in the bank folder, after a restore",
    about:
      "Two people run this command: the first states the file, the second confirms it. Then `payout run` " +
      "accepts this folder again. First run `payout recover` for each file that the bank received; otherwise " +
      `its merchants are paid twice. ${ownersSettings}`,
    options: {
      bank: { value: "NAME", does: "Bank of the folder", isRequired: true },
      folder: { value: "FOLDER", does: "Bank folder", isRequired: true },
      newest: { value: "FILE", does: "Newest file in the folder, or `none`", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout resync --bank first --folder /var/spool/payouts --newest none"],
    run: async (given) => {
      const { resyncFolder } = await import("../../settlement/payouts/bank-folder.workflow.ts");
      const outcome = await resyncFolder(operatorOf(given), {
        bank: required(given, "bank"),
        folder: required(given, "folder"),
        newest: required(given, "newest"),
      });
      const texts = {
        requested: "Stated. Another person confirms it with the same command.",
        confirmed: "confirmed",
      };
      show(given, { outcome }, texts[outcome]);
    },
  },
};
