import { type Commands } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

/** Commands about one payout file: its approval, and what to do when it did not reach the bank or the database was restored. */
export const payoutFileCommands: Commands = {
  "payout files": {
    needs: "support",
    does: "list payout files, the newest first",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "maximum number of files (default: 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout files"],
    run: async (given) => {
      const { findFiles, filesTable } = await import("./payout-approve.ts");
      const files = await findFiles(operatorOf(given), wholeNumber(given, "limit", [1, 100_000]) ?? 100);
      show(given, files, filesTable(files));
    },
  },
  "payout show": {
    needs: "finance",
    takes: ["FILE"],
    does: "show every payee of a payout file, and the digest to approve",
    about: `Each payee with the masked account, the amount, and what changed since its last payout. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout show 20261118093000000064213000000000001"],
    run: async (given) => {
      const { showFile, fileTable } = await import("./payout-approve.ts");
      const shown = await showFile(operatorOf(given), given.words[0] ?? "");
      show(given, shown, fileTable(shown));
    },
  },
  "payout approve": {
    needs: "finance",
    acts: true,
    takes: ["FILE"],
    does: "approve a planned payout file, as the second person",
    about:
      "The database refuses the login that planned the file, and a digest that is not the file's own. An approval is valid for 24 hours.\n" +
      ownersSettings,
    options: {
      digest: { value: "DIGEST", does: "the digest that `payout show` printed", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout approve 20261118093000000064213000000000001 --digest 5f0c…"],
    run: async (given) => {
      const { approveFile } = await import("./payout-approve.ts");
      const file = await approveFile(operatorOf(given), given.words[0] ?? "", required(given, "digest"));
      show(given, file, "approved; the next `payout run` hands it over");
    },
  },
  "payout void": {
    needs: "finance",
    acts: true,
    takes: ["FILE"],
    does: "give up a payout file that never reached the bank",
    about:
      "A file that is not released is dropped at once. Otherwise two people run this command: the first requests it, the second confirms it.\n" +
      "Its payouts then have failed, and their batches are due again. It is refused after the bank has reported on one of its payouts.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout void 20261118093000000064213000000000001"],
    run: async (given) => {
      const { voidFile } = await import("./payout-approve.ts");
      const outcome = await voidFile(operatorOf(given), given.words[0] ?? "");
      const texts = {
        dropped: "dropped: no payout of it existed",
        requested: "requested; another person confirms it with the same command",
        voided: "voided: its payouts have failed, and their batches are due again",
      };
      show(given, { outcome }, texts[outcome]);
    },
  },
  "payout recover": {
    needs: "finance",
    acts: true,
    takes: ["PATH"],
    does: "plan a payout file from its copy, after a restore",
    about:
      "For a file that the bank received after the moment to which the database was restored. It is planned from the copy in the bank\n" +
      "folder (handed-over/BANK/FILE.xml); a second person approves it, and the next `payout run` stores it as handed over.\n" +
      ownersSettings,
    options: {
      bank: { value: "NAME", does: "the bank that received the file", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout recover --bank first /var/spool/payouts/handed-over/first/20261118093000000064213000000000001.xml",
    ],
    run: async (given) => {
      const { recoverFile } = await import("./payout-recover.ts");
      const file = await recoverFile(operatorOf(given), required(given, "bank"), given.words[0] ?? "");
      show(given, file, `planned as ${file.fileId}; another person approves it, then run \`payout run\``);
    },
  },
  "payout resync": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    does: "state the newest payout file in the bank folder, after a restore",
    about:
      "Two people run this command: the first states it, the second confirms it. Then `payout run` works again with this folder. First run\n" +
      `\`payout recover\` for each file that the bank received, or its merchants are paid twice. ${ownersSettings}`,
    options: {
      bank: { value: "NAME", does: "the bank of the folder", isRequired: true },
      folder: { value: "FOLDER", does: "the bank folder", isRequired: true },
      newest: { value: "FILE", does: "the newest file in it, or `none`", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout resync --bank first --folder /var/spool/payouts --newest none"],
    run: async (given) => {
      const { resyncFolder } = await import("./payout-folder.ts");
      const outcome = await resyncFolder(operatorOf(given), {
        bank: required(given, "bank"),
        folder: required(given, "folder"),
        newest: required(given, "newest"),
      });
      const texts = {
        requested: "stated; another person confirms it with the same command",
        confirmed: "confirmed",
      };
      show(given, { outcome }, texts[outcome]);
    },
  },
};
