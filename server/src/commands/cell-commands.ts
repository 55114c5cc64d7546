import type { Commands, Options } from "./command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  settingsOf,
  subjectOf,
} from "./operator.ts";
import { show } from "./show.ts";

const cells = (): Promise<typeof import("./cell.ts")> => import("./cell.ts");
const fleet = (): Promise<typeof import("./fleet.ts")> => import("./fleet.ts");

const sealedFile = {
  file: { value: "FILE", does: "the sealed file", isRequired: true },
  "seal-file": {
    value: "FILE",
    does: "the key that seals it, 32 bytes in base64, made for this alone; the same at both ends",
    isRequired: true,
  },
} as const satisfies Options;

/** Commands for installations that are cells of a fleet: which part of it they are, and how others find them. */
export const cellCommands: Commands = {
  "cell become": {
    needs: "owner",
    acts: true,
    takes: ["[NAME]"],
    does: "make this installation a cell of a fleet, which owns some of the buckets",
    about:
      "Once, before its first merchant or with all buckets in which it has any. Then set TOLLGATE_CELL for `serve` and `work`.\n" +
      ownersSettings,
    options: {
      name: { value: "NAME", does: "the same as the word" },
      buckets: { value: "RANGES", does: "which it owns: 0-1023 for all of them", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate cell become asia-1 --buckets 0-340 --reason 'the first of three'"],
    run: async (given) => {
      const { becomeCell, bucketsIn, bucketsText } = await cells();
      const [name, buckets] = [subjectOf(given, "name"), bucketsIn(required(given, "buckets"))];
      await becomeCell(operatorOf(given), name, buckets);
      show(
        given,
        { cell: name, buckets: bucketsText(buckets) },
        `This is the cell ${name}, with ${buckets.length} buckets.`,
      );
    },
  },
  "cell show": {
    needs: "support",
    does: "which cell this installation is, and which buckets it owns",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate cell show"],
    run: async (given) => {
      const { findOwnCell, bucketsText } = await cells();
      const { cell, buckets } = await findOwnCell(operatorOf(given));
      const owned = bucketsText(buckets);
      const text =
        cell === undefined ? "It is no cell, and owns everything." : `${cell}: buckets ${owned || "none"}`;
      show(given, { cell, buckets: owned }, text);
    },
  },
  "cells status": {
    needs: "support",
    does: "every cell of the fleet: health, version, buckets, merchants, moves, forwarded calls",
    about:
      "Cells from the directory of TOLLGATE_DIRECTORY_FILE, each with its login: that of asia-1 is TOLLGATE_CELL_ASIA_1_OWNER_DATABASE_URL. Exit code 1 says that\n" +
      "one is not ready, or is not what the directory says. Version and forwarded calls are told where the directory names the cell's `operators`.",
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate cells status"],
    run: async (given) => {
      const { cellOperators } = await import("./cell-operators.ts");
      const { statusOfCells, statusTable } = await import("./cells-status.ts");
      const statuses = await statusOfCells(await cellOperators(given));
      show(given, statuses, statusTable(statuses));
      if (statuses.some(({ health, problems }) => health !== "ready" || problems.length > 0))
        process.exitCode = 1;
    },
  },
  "cells sign": {
    does: "sign a directory, which says where merchants live, for every cell and edge",
    about:
      "It asks no database. The key is one of Ed25519, made with `openssl genpkey -algorithm ed25519`. Copy the signed file to where\n" +
      "TOLLGATE_DIRECTORY_FILE of each cell points; processes take a higher version up within a second, and never a lower one.",
    options: {
      from: {
        value: "FILE",
        does: "the directory, as JSON: version, cells, buckets, clients",
        isRequired: true,
      },
      "private-key": { value: "FILE", does: "the key that signs it, PEM", isRequired: true },
      to: { value: "FILE", does: "the signed directory", isRequired: true },
      ...jsonOption,
    },
    examples: ["tollgate cells sign --from fleet.json --private-key fleet.pem --to directory.json"],
    run: async (given) => {
      const { signDirectory } = await cells();
      const [from, key, to] = ["from", "private-key", "to"].map((option) => required(given, option)) as [
        string,
        string,
        string,
      ];
      const { version, cells: named } = await signDirectory(from, key, to);
      show(
        given,
        { version, cells: [...named.keys()] },
        `Version ${version}, with ${named.size} cells, is in ${to}.`,
      );
    },
  },
  "cells edge": {
    does: "write the HAProxy configuration that leads every merchant to its cell",
    about:
      "From the directory of TOLLGATE_DIRECTORY_FILE, verified with TOLLGATE_DIRECTORY_KEY_FILE. It asks no database. HAProxy 2.6 or later.\n" +
      "An edge with old files leads to a cell that forwards, so edges may be reloaded when it suits.",
    options: {
      to: { value: "FOLDER", does: "where haproxy.cfg and its maps go", isRequired: true },
      bind: {
        value: "ADDRESS",
        does: "what the edge listens on, as HAProxy writes it; :8080, unless said otherwise",
      },
      region: {
        value: "NAME",
        does: "where the edge stands: it leads to cells of this region, which forward to the others",
      },
      ...jsonOption,
    },
    examples: ["tollgate cells edge --to /etc/haproxy --bind ':443 ssl crt /etc/haproxy/pay.example.pem'"],
    run: async (given) => {
      const { writeEdge } = await cells();
      const { directoryOf } = await import("./cell-operators.ts");
      const directory = await directoryOf(settingsOf(given, ["fleet"]).fleet);
      const folder = required(given, "to");
      const bind = given.value("bind") ?? ":8080";
      await writeEdge(directory, { folder, bind, region: given.value("region") });
      show(
        given,
        { version: directory.version, folder },
        `Version ${directory.version} is in ${folder}. Check it with haproxy -c.`,
      );
    },
  },
  "cells export-fleet": {
    needs: "admin",
    does: "write what every cell has a copy of into a sealed file: gateway keys, the secret, connectors",
    about: `For a new cell, or after a change of keys or connectors. ${ownersSettings}`,
    options: { ...sealedFile, ...operatorOptions, ...jsonOption },
    examples: ["tollgate cells export-fleet --file fleet.sealed --seal-file seal.key"],
    run: async (given) => {
      const { exportFleet } = await fleet();
      const { keyFile } = settingsOf(given, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const [file, sealFile] = [required(given, "file"), required(given, "seal-file")];
      const counts = await exportFleet(operatorOf(given), { keyFile, sealFile, file });
      show(
        given,
        counts,
        `Gateway keys ${counts.gatewayKeyVersions.join(", ")} and ${counts.connectorCount} connectors are in ${file}.`,
      );
    },
  },
  "cells import-fleet": {
    needs: "admin",
    acts: true,
    does: "take up the gateway keys, the secret and the connectors of the fleet",
    about:
      "In a new installation, after `migrate` and in place of `gateway-key add`; later to take up what has changed. One that has a secret of\n" +
      `its own is refused. ${ownersSettings}`,
    options: { ...sealedFile, ...operatorOptions, ...jsonOption },
    examples: ["tollgate cells import-fleet --file fleet.sealed --seal-file seal.key --reason 'a new cell'"],
    run: async (given) => {
      const { importFleet } = await fleet();
      const { keyFile } = settingsOf(given, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const [file, sealFile] = [required(given, "file"), required(given, "seal-file")];
      const counts = await importFleet(operatorOf(given), { keyFile, sealFile, file });
      show(
        given,
        counts,
        `Gateway keys ${counts.gatewayKeyVersions.join(", ")} and ${counts.connectorCount} connectors were taken up.`,
      );
    },
  },
};
