import type { Commands, Options } from "../framework/command.ts";
import { jsonOption, operatorOptions } from "../framework/operator.ts";

/** The module is loaded on demand, so that `help` does not load it. */
const moving = (): Promise<typeof import("./run-move.ts")> => import("./run-move.ts");

const bothOwners =
  "Needs the owners' logins of both databases: TOLLGATE_OWNER_DATABASE_URL for the source, and " +
  "TOLLGATE_CELL_NAME_OWNER_DATABASE_URL (or the same with _FILE) for the target cell. Write the cell's " +
  "NAME in capitals, with _ for -.";

const toOption = {
  to: { value: "CELL", does: "Name of the target cell", isRequired: true },
} as const satisfies Options;

const directoryOptions = {
  directory: {
    value: "FILE",
    does: "Directory file to update; it is checked before the move",
  },
  "directory-key": {
    value: "FILE",
    does: "PEM file with the key that signs the directory (default: unsigned)",
  },
} as const satisfies Options;

/** Commands that move merchants between cells. */
export const moveCommands: Commands = {
  "merchant move": {
    needs: "owner",
    acts: { english: "Moved the merchant to another cell", chinese: "将商户移至另一单元" },
    takes: ["[CLIENT_ID]"],
    does: "Move a merchant to another cell without downtime",
    about:
      `${bothOwners}\n` +
      "After an interruption, run it again: it continues. --undo cancels the move until the merchant has moved.\n" +
      "Afterwards, publish the merchant's new home cell in the directory.",
    options: {
      "client-id": { value: "CLIENT_ID", does: "Same as the CLIENT_ID argument" },
      ...toOption,
      undo: { does: "Cancel a move in progress, if the merchant has not moved yet" },
      ...directoryOptions,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate merchant move SANDBOX_7H2KQ9XW3M5T8RBC --to two --reason 'it has grown'",
      "tollgate merchant move SANDBOX_7H2KQ9XW3M5T8RBC --to two --directory directory.json --directory-key fleet.pem --reason grown",
    ],
    run: async (given) => (await moving()).runMerchantMove(given),
  },
  "cells move-bucket": {
    needs: "owner",
    acts: { english: "Moved a bucket to another cell", chinese: "将分桶移至另一单元" },
    takes: ["[BUCKET]"],
    does: "Move a bucket and its merchants to another cell without downtime",
    about:
      `${bothOwners}\n` +
      "After an interruption, run it again: it continues. Writes of each merchant pause as with `merchant move`. The bucket\n" +
      "has no owner for a second, so no merchant can be created in it. Then the target cell creates them.",
    options: {
      bucket: { value: "BUCKET", does: "Same as the BUCKET argument" },
      ...toOption,
      ...directoryOptions,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate cells move-bucket 512 --to three --directory directory.json --reason 'a third cell'",
    ],
    run: async (given) => (await moving()).runBucketMove(given),
  },
  "cells rebalance": {
    needs: "owner",
    does: "Plan moves that balance payments over cells; changes nothing",
    about:
      "Needs the owner's login of each cell in TOLLGATE_CELL_NAME_OWNER_DATABASE_URL. Prints the commands to " +
      "run.",
    options: {
      cells: { value: "NAMES", does: "Cells to balance, separated by commas", isRequired: true },
      days: { value: "NUMBER", does: "Number of days whose payments are counted (default 7)" },
      within: {
        value: "PERCENT",
        does: "Allowed percentage above the mean load (default 10)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate cells rebalance --cells one,two,three --days 7"],
    run: async (given) => (await moving()).runRebalance(given),
  },
};
