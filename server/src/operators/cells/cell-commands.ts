import type { Commands, Options } from "../framework/command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
  settingsOf,
  subjectOf,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";

const importCell = (): Promise<typeof import("./manage-cell.ts")> => import("./manage-cell.ts");
const importFleetExport = (): Promise<typeof import("./fleet-export.ts")> => import("./fleet-export.ts");

const encryptedFileOptions = {
  file: { value: "FILE", summary: "Encrypted file", isRequired: true },
  "seal-file": {
    value: "FILE",
    summary: "Key that encrypts the file: 32 bytes in base64, same for both cells",
    isRequired: true,
  },
} as const satisfies Options;

/** Commands for the cells of a fleet: their buckets, the signed directory, the edge proxy and shared keys. */
export const cellCommands: Commands = {
  "cell init": {
    requiredRole: "owner",
    auditLabel: { english: "Made the installation a cell", chinese: "将安装设为单元" },
    positionals: ["[NAME]"],
    summary: "Make this installation a cell of a fleet, owner of some buckets",
    description:
      "Run it once, before the first merchant exists, or include all buckets that have merchants. Then set " +
      "TOLLGATE_CELL for `serve` and `work`.\n" +
      ownerSettingsHelp,
    options: {
      name: { value: "NAME", summary: "Same as the NAME argument" },
      buckets: {
        value: "RANGES",
        summary: "Buckets that the cell owns; 0-1023 is all of them",
        isRequired: true,
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate cell init asia-1 --buckets 0-340 --reason 'the first of three'"],
    run: async (args) => {
      const { initCell, parseBuckets, formatBuckets } = await importCell();
      const [name, buckets] = [subjectOf(args, "name"), parseBuckets(requiredOption(args, "buckets"))];
      await initCell(operatorOf(args), name, buckets);
      printResult(
        args,
        { cell: name, buckets: formatBuckets(buckets) },
        `This installation is cell ${name} with ${buckets.length} buckets.`,
      );
    },
  },
  "cell show": {
    requiredRole: "support",
    summary: "Print the name and the buckets of this cell",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate cell show"],
    run: async (args) => {
      const { findOwnCell, formatBuckets } = await importCell();
      const { cell, buckets } = await findOwnCell(operatorOf(args));
      const ownedBuckets = formatBuckets(buckets);
      const text =
        cell === undefined
          ? "This installation is not a cell and owns all buckets."
          : `${cell}: buckets ${ownedBuckets || "none"}`;
      printResult(args, { cell, buckets: ownedBuckets }, text);
    },
  },
  "cells status": {
    requiredRole: "support",
    summary: "List all cells: health, version, buckets, merchants, moves, forwarding",
    description:
      "Reads the cells from TOLLGATE_DIRECTORY_FILE and connects to each with its own login: for cell asia-1, " +
      "TOLLGATE_CELL_ASIA_1_OWNER_DATABASE_URL. Exits with code 1 if a cell is not ready or differs from the " +
      "directory. Version and forwarded requests are shown only for cells with an `operators` address in the " +
      "directory.",
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate cells status"],
    run: async (args) => {
      const { readCellOperators } = await import("./cell-operators.ts");
      const { findCellStatuses, statusTable } = await import("./cells-status.ts");
      const statuses = await findCellStatuses(await readCellOperators(args));
      printResult(args, statuses, statusTable(statuses));
      if (statuses.some(({ health, problems }) => health !== "ready" || problems.length > 0))
        process.exitCode = 1;
    },
  },
  "cells sign": {
    summary: "Sign the directory that maps merchants to cells",
    description:
      "Does not use a database. The key is an Ed25519 key, created with `openssl genpkey -algorithm ed25519`. " +
      "Copy the signed file to the path in TOLLGATE_DIRECTORY_FILE of each cell. Processes load a higher " +
      "version within a second and reject a lower one.",
    options: {
      from: {
        value: "FILE",
        summary: "Directory as JSON: version, cells, buckets, clients",
        isRequired: true,
      },
      "private-key": { value: "FILE", summary: "PEM file with the private key that signs", isRequired: true },
      to: { value: "FILE", summary: "File for the signed directory", isRequired: true },
      ...jsonOption,
    },
    examples: ["tollgate cells sign --from fleet.json --private-key fleet.pem --to directory.json"],
    run: async (args) => {
      const { signDirectory } = await importCell();
      const [from, key, to] = ["from", "private-key", "to"].map((option) => requiredOption(args, option)) as [
        string,
        string,
        string,
      ];
      const { version, cells: cellsByName } = await signDirectory(from, key, to);
      printResult(
        args,
        { version, cells: [...cellsByName.keys()] },
        `Version ${version} with ${cellsByName.size} cells was written to ${to}.`,
      );
    },
  },
  "cells edge": {
    summary: "Write the HAProxy configuration that routes merchants to their cells",
    description:
      "Reads the directory in TOLLGATE_DIRECTORY_FILE and verifies it with TOLLGATE_DIRECTORY_KEY_FILE. Does " +
      "not use a database. Requires HAProxy 2.6 or later. With outdated files, an edge may send requests to a " +
      "cell that forwards them, so edges can be reloaded later.",
    options: {
      to: { value: "FOLDER", summary: "Folder for haproxy.cfg and its maps", isRequired: true },
      bind: {
        value: "ADDRESS",
        summary: "Listen address in HAProxy syntax (default :8080)",
      },
      region: {
        value: "NAME",
        summary: "Region of the edge: it uses this region's cells, which forward requests",
      },
      ...jsonOption,
    },
    examples: ["tollgate cells edge --to /etc/haproxy --bind ':443 ssl crt /etc/haproxy/pay.example.pem'"],
    run: async (args) => {
      const { writeEdge } = await importCell();
      const { readFleetDirectory } = await import("./cell-operators.ts");
      const directory = await readFleetDirectory(settingsOf(args, ["fleet"]).fleet);
      const folder = requiredOption(args, "to");
      const bind = args.value("bind") ?? ":8080";
      await writeEdge(directory, { folder, bind, region: args.value("region") });
      printResult(
        args,
        { version: directory.version, folder },
        `Version ${directory.version} was written to ${folder}. Validate it with haproxy -c.`,
      );
    },
  },
  "cells export-fleet": {
    requiredRole: "admin",
    summary: "Export the fleet's gateway keys, secret and connectors, encrypted",
    description: `Run it for a new cell, and after a change of keys or connectors. ${ownerSettingsHelp}`,
    options: { ...encryptedFileOptions, ...operatorOptions, ...jsonOption },
    examples: ["tollgate cells export-fleet --file fleet.sealed --seal-file seal.key"],
    run: async (args) => {
      const { exportFleet } = await importFleetExport();
      const { keyFile } = settingsOf(args, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const [file, sealFile] = [requiredOption(args, "file"), requiredOption(args, "seal-file")];
      const counts = await exportFleet(operatorOf(args), { keyFile, sealFile, file });
      printResult(
        args,
        counts,
        `Exported gateway keys ${counts.gatewayKeyVersions.join(", ")} and ${counts.connectorCount} connectors ` +
          `to ${file}.`,
      );
    },
  },
  "cells import-fleet": {
    requiredRole: "admin",
    auditLabel: { english: "Imported the fleet's keys and connectors", chinese: "导入集群目录" },
    summary: "Import the fleet's gateway keys, secret and connectors",
    description:
      "In a new installation, run it after `migrate` instead of `gateway-key add`. Run it again after each " +
      `export. An installation that has a different secret is rejected. ${ownerSettingsHelp}`,
    options: { ...encryptedFileOptions, ...operatorOptions, ...jsonOption },
    examples: ["tollgate cells import-fleet --file fleet.sealed --seal-file seal.key --reason 'a new cell'"],
    run: async (args) => {
      const { importFleet } = await importFleetExport();
      const { keyFile } = settingsOf(args, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const [file, sealFile] = [requiredOption(args, "file"), requiredOption(args, "seal-file")];
      const counts = await importFleet(operatorOf(args), { keyFile, sealFile, file });
      printResult(
        args,
        counts,
        `Imported gateway keys ${counts.gatewayKeyVersions.join(", ")} and ${counts.connectorCount} connectors.`,
      );
    },
  },
};
