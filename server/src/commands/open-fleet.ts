import { createPublicKey } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { readDirectory, type Directory } from "../cells/directory.ts";
import { openHomeBook } from "../cells/home-book.ts";
import { findDirectoryVersion, updateDirectoryVersion } from "../cells/home.sql.ts";
import type { Fleet } from "../http/elsewhere.ts";
import { openPeerCells } from "../http/peer-cells.ts";
import type { Environment } from "../postgres/migrate.ts";
import { committed, systemScope } from "../postgres/database.ts";
import { isThisMachine } from "../http/this-machine.ts";
import { openDocument } from "../signing/signed-document.ts";
import type { Engine } from "./engine.ts";
import { monotonicMs } from "./process-core.ts";
import type { FleetSettings } from "./settings.ts";

/** A cell's fleet, with what keeps it up to date. */
export interface OpenFleet extends Omit<Fleet, "pageOrigins"> {
  /** Uses a newer directory, if there is one. Throws for one that must not be used, and keeps the one before. Called every second. */
  refresh(): Promise<void>;
}

export interface FleetOptions extends FleetSettings {
  readonly environment: Environment;
}

/**
 * Undefined for an installation that is no cell. The highest version of the directory that was used is in the database, which all processes
 * of a cell share, and which whoever writes the directory's file cannot write: an old signed copy is refused after a restart, too (rollback).
 */
export async function openFleet(
  { cell, directoryFile, directoryKeyFile, environment }: FleetOptions,
  { database, clients, secrets }: Pick<Engine, "database" | "clients" | "secrets">,
): Promise<OpenFleet | undefined> {
  if (cell === "") return undefined;
  let directory: Directory | undefined;
  let readAtMs = 0;
  async function refresh(): Promise<void> {
    if (directoryFile === "") return;
    const { mtimeMs } = await stat(directoryFile);
    if (mtimeMs === readAtMs) return;
    const read = await readSignedDirectory(directoryFile, directoryKeyFile);
    const usedVersion = await findDirectoryVersion(database.reader(systemScope));
    // An old file is reported once, and not every second.
    readAtMs = mtimeMs;
    refuseDirectory(read, { usedVersion, environment, directoryFile });
    if (read.version === directory?.version) return;
    committed(await database.transaction(systemScope, (tx) => updateDirectoryVersion(tx, read.version)));
    directory = read;
  }
  await refresh();
  const current = (): Directory | undefined => directory;
  return {
    homes: openHomeBook({ cell, database, clients, directory: current, monotonicMs }),
    peers: openPeerCells(secrets.peers, monotonicMs),
    directory: current,
    refresh,
  };
}

/** Throws for a directory that must not be used: an older version than was used before, or in live a cell without TLS. */
function refuseDirectory(
  { version, cells }: Directory,
  {
    usedVersion,
    environment,
    directoryFile,
  }: { readonly usedVersion: number } & Pick<FleetOptions, "environment" | "directoryFile">,
): void {
  if (version < usedVersion)
    throw new Error(
      `${directoryFile} is version ${version}, and this cell has used version ${usedVersion}. Put the newest directory there; to go back to ` +
        `an old one, sign its content with a version above ${usedVersion}.`,
    );
  for (const [name, { url }] of cells)
    if (environment === "live" && !url.startsWith("https:") && !isThisMachine(hostOf(url)))
      throw new Error(
        `Cell ${name} has the address ${url}: in live it has to be https, because merchants' requests are forwarded to it.`,
      );
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
}

/** The directory of a file, if one of the keys in the other file has signed it. */
export async function readSignedDirectory(file: string, keyFile: string): Promise<Directory> {
  const [text, keys] = await Promise.all([readFile(file, "utf8"), readFile(keyFile, "utf8")]);
  return readDirectory(openDocument("directory", text, publicKeysIn(keys)));
}

/** One behind the other, for when the key is changed. */
function publicKeysIn(pem: string): ReturnType<typeof createPublicKey>[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  return blocks.map((block) => createPublicKey(block));
}
