import type { Commands, Options } from "./command.ts";
import { jsonOption, operatorOptions } from "./operator.ts";

/** Loaded when it is run: whoever only asks for help does not wait for it. */
const moving = (): Promise<typeof import("./run-move.ts")> => import("./run-move.ts");

const bothOwners =
  "Both databases with their owners' logins: TOLLGATE_OWNER_DATABASE_URL where it is, and\n" +
  "TOLLGATE_CELL_NAME_OWNER_DATABASE_URL, or the same with _FILE, for the cell of that NAME, in capitals and with _ for -.";

const toOption = {
  to: { value: "CELL", does: "the cell that it moves to, by its name", isRequired: true },
} as const satisfies Options;

const directoryOptions = {
  directory: {
    value: "FILE",
    does: "the directory, in whose place the next version is written; checked before anything is moved",
  },
  "directory-key": { value: "FILE", does: "the key that signs it, PEM; without it a draft stays one" },
} as const satisfies Options;

/** Commands that move merchants from cell to cell. */
export const moveCommands: Commands = {
  "merchant move": {
    needs: "owner",
    acts: true,
    takes: ["[CLIENT_ID]"],
    does: "move a merchant to another cell while it sells",
    about:
      `${bothOwners}\n` +
      "Killed anywhere, run it again: it goes on where it was. Until the merchant has gone, --undo brings it back.\n" +
      "Then have its new home in the directory.",
    options: {
      "client-id": { value: "CLIENT_ID", does: "the same as the word" },
      ...toOption,
      undo: { does: "stop a move that is under way, if it has not come too far" },
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
    acts: true,
    takes: ["[BUCKET]"],
    does: "move a bucket to another cell, with its merchants, while they sell",
    about:
      `${bothOwners}\n` +
      "Killed anywhere, run it again: it goes on where it was. Each merchant waits as long as with `merchant move`, and the bucket\n" +
      "has no owner for a second: none is opened in it meanwhile. Then the other cell opens them.",
    options: {
      bucket: { value: "BUCKET", does: "the same as the word" },
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
    does: "plan which merchants to move so that cells have alike many payments; it moves nobody",
    about:
      "With the owners' logins of all these cells, TOLLGATE_CELL_NAME_OWNER_DATABASE_URL each. It prints the commands.",
    options: {
      cells: { value: "NAMES", does: "with commas between them", isRequired: true },
      days: { value: "NUMBER", does: "counts the payments of so many days; 7, unless said otherwise" },
      within: {
        value: "PERCENT",
        does: "how far above the mean the fullest cell may be; 10, unless said otherwise",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate cells rebalance --cells one,two,three --days 7"],
    run: async (given) => (await moving()).runRebalance(given),
  },
};
