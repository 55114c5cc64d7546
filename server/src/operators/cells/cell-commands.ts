import type { Commands, Options } from "../framework/command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  settingsOf,
  subjectOf,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";

const cells = (): Promise<typeof import("./cell.ts")> => import("./cell.ts");
const fleet = (): Promise<typeof import("./fleet.ts")> => import("./fleet.ts");

const sealedFile = {
  file: { value: "FILE", does: "Encrypted file", isRequired: true },
  "seal-file": {
    value: "FILE",
    does: "Key that encrypts the file: 32 bytes in base64, same for both cells",
    isRequired: true,
  },
} as const satisfies Options;

/** Commands for the cells of a fleet: their buckets, the signed directory, the edge proxy and shared keys. */
export const cellCommands: Commands = {
  "cell init": {
    needs: "owner",
    acts: { english: "Made the installation a cell", chinese: "将安装设为单元" },
    takes: ["[NAME]"],
    does: "Make this installation a cell of a fleet, owner of some buckets",
    about:
      "Run it once, before the first merchant exists, or include all buckets that have merchants. Then set " +
      "TOLLGATE_CELL for `serve` and `work`.\n" +
      ownersSettings,
    options: {
      name: { value: "NAME", does: "Same as the NAME argument" },
      buckets: {
        value: "RANGES",
        does: "Buckets that the cell owns; 0-1023 is all of them",
        isRequired: true,
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate cell init asia-1 --buckets 0-340 --reason 'the first of three'"],
    run: async (given) => {
      const { initCell, bucketsIn, bucketsText } = await cells();
      const [name, buckets] = [subjectOf(given, "name"), bucketsIn(required(given, "buckets"))];
      await initCell(operatorOf(given), name, buckets);
      show(
        given,
        { cell: name, buckets: bucketsText(buckets) },
        `This installation is cell ${name} with ${buckets.length} buckets.`,
      );
    },
  },
  "cell show": {
    needs: "support",
    does: "Print the name and the buckets of this cell",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate cell show"],
    run: async (given) => {
      const { findOwnCell, bucketsText } = await cells();
      const { cell, buckets } = await findOwnCell(operatorOf(given));
      const owned = bucketsText(buckets);
      const text =
        cell === undefined
          ? "This installation is not a cell and owns all buckets."
          : `${cell}: buckets ${owned || "none"}`;
      show(given, { cell, buckets: owned }, text);
    },
  },
  "cells status": {
    needs: "support",
    does: "List all cells: health, version, buckets, merchants, moves, forwarding",
    about:
      "Reads the cells from TOLLGATE_DIRECTORY_FILE and connects to each with its own login: for cell asia-1, " +
      "TOLLGATE_CELL_ASIA_1_OWNER_DATABASE_URL. Exits with code 1 if a cell is not ready or differs from the " +
      "directory. Version and forwarded requests are shown only for cells with an `operators` address in the " +
      "directory.",
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
    does: "Sign the directory that maps merchants to cells",
    about:
      "Does not use a database. The key is an Ed25519 key, created with `openssl genpkey -algorithm ed25519`. " +
      "Copy the signed file to the path in TOLLGATE_DIRECTORY_FILE of each cell. Processes load a higher " +
      "version within a second and reject a lower one.",
    options: {
      from: {
        value: "FILE",
        does: "Directory as JSON: version, cells, buckets, clients",
        isRequired: true,
      },
      "private-key": { value: "FILE", does: "PEM file with the private key that signs", isRequired: true },
      to: { value: "FILE", does: "File for the signed directory", isRequired: true },
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
        `Version ${version} with ${named.size} cells was written to ${to}.`,
      );
    },
  },
  "cells edge": {
    does: "Write the HAProxy configuration that routes merchants to their cells",
    about:
      "Reads the directory in TOLLGATE_DIRECTORY_FILE and verifies it with TOLLGATE_DIRECTORY_KEY_FILE. Does " +
      "not use a database. Requires HAProxy 2.6 or later. With outdated files, an edge may send requests to a " +
      "cell that forwards them, so edges can be reloaded later.",
    options: {
      to: { value: "FOLDER", does: "Folder for haproxy.cfg and its maps", isRequired: true },
      bind: {
        value: "ADDRESS",
        does: "Listen address in HAProxy syntax (default :8080)",
      },
      region: {
        value: "NAME",
        does: "Region of the edge: it uses this region's cells, which forward requests",
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
        `Version ${directory.version} was written to ${folder}. Validate it with haproxy -c.`,
      );
    },
  },
  "cells export-fleet": {
    needs: "admin",
    does: "Export the fleet's gateway keys, secret and connectors, encrypted",
    about: `Run it for a new cell, and after a change of keys or connectors. ${ownersSettings}`,
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
        `Exported gateway keys ${counts.gatewayKeyVersions.join(", ")} and ${counts.connectorCount} connectors ` +
          `to ${file}.`,
      );
    },
  },
  "cells import-fleet": {
    needs: "admin",
    acts: { english: "Imported the fleet's keys and connectors", chinese: "导入集群目录" },
    does: "Import the fleet's gateway keys, secret and connectors",
    about:
      "In a new installation, run it after `migrate` instead of `gateway-key add`. Run it again after each " +
      `export. An installation that has a different secret is rejected. ${ownersSettings}`,
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
        `Imported gateway keys ${counts.gatewayKeyVersions.join(", ")} and ${counts.connectorCount} connectors.`,
      );
    },
  },
};
