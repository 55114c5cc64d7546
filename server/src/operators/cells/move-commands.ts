import type { Commands, Options } from "../framework/command.ts";
import { jsonOption, operatorOptions } from "../framework/operator-options.ts";

/** The module is loaded on demand, so that `help` does not load it. */
const importRunMove = (): Promise<typeof import("./run-move.ts")> => import("./run-move.ts");

const ownerLoginsHelp =
  "Needs the owners' logins of both databases: TOLLGATE_OWNER_DATABASE_URL for the source, and " +
  "TOLLGATE_CELL_NAME_OWNER_DATABASE_URL (or the same with _FILE) for the target cell. Write the cell's " +
  "NAME in capitals, with _ for -.";

const toOption = {
  to: { value: "CELL", summary: "Name of the target cell", isRequired: true },
} as const satisfies Options;

const directoryOptions = {
  directory: {
    value: "FILE",
    summary: "Directory file to update; it is checked before the move",
  },
  "directory-key": {
    value: "FILE",
    summary: "PEM file with the key that signs the directory (default: unsigned)",
  },
} as const satisfies Options;

/** Commands that move merchants between cells. */
export const moveCommands: Commands = {
  "merchant move": {
    requiredRole: "owner",
    auditLabel: { english: "Moved the merchant to another cell", chinese: "将商户移至另一单元" },
    positionals: ["[CLIENT_ID]"],
    summary: "Move a merchant to another cell without downtime",
    description:
      `${ownerLoginsHelp}\n` +
      "After an interruption, run it again: it continues. --undo cancels the move until the merchant has moved.\n" +
      "Afterwards, publish the merchant's new home cell in the directory.",
    options: {
      "client-id": { value: "CLIENT_ID", summary: "Same as the CLIENT_ID argument" },
      ...toOption,
      undo: { summary: "Cancel a move in progress, if the merchant has not moved yet" },
      ...directoryOptions,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate merchant move SANDBOX_7H2KQ9XW3M5T8RBC --to two --reason 'it has grown'",
      "tollgate merchant move SANDBOX_7H2KQ9XW3M5T8RBC --to two --directory directory.json --directory-key fleet.pem --reason grown",
    ],
    run: async (args) => (await importRunMove()).runMerchantMove(args),
  },
  "cells move-bucket": {
    requiredRole: "owner",
    auditLabel: { english: "Moved a bucket to another cell", chinese: "将分桶移至另一单元" },
    positionals: ["[BUCKET]"],
    summary: "Move a bucket and its merchants to another cell without downtime",
    description:
      `${ownerLoginsHelp}\n` +
      "After an interruption, run it again: it continues. Writes of each merchant pause as with `merchant move`. The bucket\n" +
      "has no owner for a second, so no merchant can be created in it. Then the target cell creates them.",
    options: {
      bucket: { value: "BUCKET", summary: "Same as the BUCKET argument" },
      ...toOption,
      ...directoryOptions,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate cells move-bucket 512 --to three --directory directory.json --reason 'a third cell'",
    ],
    run: async (args) => (await importRunMove()).runBucketMove(args),
  },
  "cells rebalance": {
    requiredRole: "owner",
    summary: "Plan moves that balance payments over cells; changes nothing",
    description:
      "Needs the owner's login of each cell in TOLLGATE_CELL_NAME_OWNER_DATABASE_URL. Prints the commands to " +
      "run.",
    options: {
      cells: { value: "NAMES", summary: "Cells to balance, separated by commas", isRequired: true },
      days: { value: "NUMBER", summary: "Number of days whose payments are counted (default 7)" },
      within: {
        value: "PERCENT",
        summary: "Allowed percentage above the mean load (default 10)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate cells rebalance --cells one,two,three --days 7"],
    run: async (args) => (await importRunMove()).runRebalance(args),
  },
};
