import { withBucket, withHome, type Directory } from "../cells/directory.ts";
import { bucketCount } from "../core/bucket.ts";
import { ownerUrlOf } from "./cell-urls.ts";
import { Impossible, UsageError, type Commands, type Given, type Options } from "./command.ts";
import { changeDirectory, openDirectory, type DirectoryFile } from "./directory-file.ts";
import { jsonOption, operatorOf, operatorOptions, required, settingsOf, subjectOf } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const bothOwners =
  "Both databases with their owners' logins: TOLLGATE_OWNER_DATABASE_URL where it is, and TOLLGATE_CELL_NAME_OWNER_DATABASE_URL, or\n" +
  "the same with _FILE, for the cell of that NAME, in capitals and with _ for -.";

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
      "Killed anywhere, run it again: it goes on where it was. Until the merchant has gone, --undo brings it back. Then have its new home in the directory.",
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
      "tollgate merchant move SANDBOX_7H2KQ9XW3M5T8RBC --to two --directory directory.json --directory-key fleet.pem --reason 'it has grown'",
    ],
    run: async (given) => {
      const { moveMerchantAsOwner, movedText } = await import("./move-merchant.ts");
      const [clientId, to] = [subjectOf(given, "client-id"), required(given, "to")];
      const kept = await directoryOf(given);
      const wants = given.has("undo") ? "undo" : "move";
      const targetUrl = ownerUrlOf(to);
      const moved = await moveMerchantAsOwner(operatorOf(given), {
        clientId,
        to,
        targetUrl,
        wants,
        ...toldSteps(),
      });
      const { outcome, epoch } = moved;
      if (wants === "move" && outcome === "undone")
        throw new Impossible(
          `${clientId} was not moved, and lives where it did: another move is under way, or transactions of before did not end in time.`,
        );
      const entry = { cell: to, epoch };
      const version =
        outcome === "moved"
          ? await published(kept, (directory) => withHome(directory, clientId, entry))
          : undefined;
      const publish = `Publish it: "${clientId}": ${JSON.stringify(entry)}`;
      const next = version === undefined ? publish : versionText(version, kept);
      const text = movedText(clientId, moved);
      show(given, { ...moved, directoryVersion: version }, outcome === "moved" ? `${text} ${next}` : text);
    },
  },
  "cells move-bucket": {
    needs: "owner",
    acts: true,
    takes: ["[BUCKET]"],
    does: "move a bucket to another cell: its merchants one by one while they sell, then the right to open new ones",
    about:
      `${bothOwners}\n` +
      "Killed anywhere, run it again: it goes on where it was. Each merchant waits as long as with `merchant move`; the bucket has no owner for a second.",
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
    run: async (given) => {
      const { moveBucket } = await import("./move-bucket.ts");
      const [bucket, to] = [bucketOf(subjectOf(given, "bucket")), required(given, "to")];
      const kept = await directoryOf(given);
      const moved = await moveBucket(operatorOf(given), {
        bucket,
        to,
        targetUrl: ownerUrlOf(to),
        onStep: (step) => void process.stderr.write(`${step}\n`),
        onMoved: async (clientId, { epoch }) =>
          void (await published(kept, (directory) => withHome(directory, clientId, { cell: to, epoch }))),
      });
      const version = await published(kept, (directory) => withBucket(directory, bucket, to));
      const waits = moved.merchants.map(({ clientId, pauseMs }) => `${clientId} (${pauseMs ?? "?"} ms)`);
      const who = waits.length > 0 ? `with ${waits.join(", ")}` : "which has no merchants here";
      const next = version === undefined ? "Publish it in the directory." : versionText(version, kept);
      show(given, { ...moved, directoryVersion: version }, `Bucket ${bucket}, ${who}, is ${to}'s. ${next}`);
    },
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
    run: async (given) => {
      const { planRebalance, rebalanceText } = await import("./rebalance.ts");
      const names = required(given, "cells")
        .split(",")
        .map((name) => name.trim());
      if (names.length < 2) throw new UsageError("Name two cells or more.");
      const days = wholeNumber(given, "days", [1, 366]) ?? 7;
      const planned = await planRebalance({
        cells: names.map((name) => ({ name, url: ownerUrlOf(name) })),
        environment: settingsOf(given, ["environment"]).environment,
        since: new Date(Date.now() - days * 24 * 3600 * 1000),
        withinPercent: wholeNumber(given, "within", [0, 1_000]) ?? 10,
      });
      show(given, planned, rebalanceText(planned));
    },
  },
};

/** Read at once: what is wrong with it is told before a merchant has moved. */
async function directoryOf(given: Given): Promise<DirectoryFile | undefined> {
  const [file, keyFile] = [given.value("directory"), given.value("directory-key")];
  if (file === undefined) {
    if (keyFile !== undefined) throw new UsageError("--directory-key signs the file of --directory.");
    return undefined;
  }
  await openDirectory({ file, keyFile });
  return { file, keyFile };
}

async function published(
  kept: DirectoryFile | undefined,
  change: (directory: Directory) => Directory,
): Promise<number | undefined> {
  return kept && changeDirectory(kept, change);
}

function versionText(version: number, kept: DirectoryFile | undefined): string {
  const next = kept?.keyFile === undefined ? "Sign it with `cells sign`, and copy it" : "Copy it";
  return `Version ${version} of the directory is in ${kept?.file}. ${next} to every cell and edge.`;
}

function bucketOf(text: string): number {
  const bucket = Number(text);
  if (/^\d{1,4}$/.test(text) && bucket < bucketCount) return bucket;
  throw new UsageError(`A bucket is a number from 0 to ${bucketCount - 1}.`);
}

/** Every step, and every second how many rows have come. */
function toldSteps(): {
  onStep(step: string): void;
  onRows(pass: number, rowCount: number): void;
} {
  let [rows, toldAtMs] = [0, performance.now()];
  return {
    onStep: (step) => void process.stderr.write(`${step}\n`),
    onRows(pass, rowCount) {
      rows += rowCount;
      if (performance.now() - toldAtMs < 1_000) return;
      toldAtMs = performance.now();
      process.stderr.write(`pass ${pass}: ${rows} rows so far\n`);
    },
  };
}
