import { stat } from "node:fs/promises";
import type { Directory } from "../cells/directory.ts";
import { openHomeCache } from "../cells/home-cache.ts";
import { findDirectoryVersion, updateDirectoryVersion } from "../cells/home.sql.ts";
import type { Fleet } from "../http/cells/forward-to-home-cell.ts";
import { openPeerCells } from "../http/cells/peer-cells.ts";
import type { Environment } from "../postgres/migrate.ts";
import { requireCommitted, systemScope } from "../postgres/database.ts";
import { isLoopbackHost } from "../http/listeners/loopback.ts";
import { readSignedDirectory } from "../operators/cells/directory-file.ts";
import type { Engine } from "./engine.ts";
import { monotonicMs } from "./process-core.ts";
import type { FleetSettings } from "../settings/settings.ts";

/** A cell's fleet, with the function that keeps it up to date. */
export interface OpenFleet extends Omit<Fleet, "pageOrigins"> {
  /**
   * Loads a newer directory, if there is one. Throws for a directory that must not be used, and keeps the previous one.
   * The process calls this function every second.
   */
  refresh(): Promise<void>;
}

export interface FleetOptions extends FleetSettings {
  readonly environment: Environment;
}

/**
 * Opens a cell's fleet; undefined for an installation that is no cell. The database stores the highest version of the
 * directory that was used. All processes of a cell share it, and an attacker who can write the directory's file cannot
 * change it. So the cell rejects an old signed copy, also after a restart (rollback protection).
 */
export async function openFleet(
  { cell, directoryFile, directoryKeyFile, environment }: FleetOptions,
  { database, clients, secrets }: Pick<Engine, "database" | "clients" | "secrets">,
): Promise<OpenFleet | undefined> {
  if (cell === "") return undefined;
  let directory: Directory | undefined;
  let usedMtimeMs = 0;
  async function refresh(): Promise<void> {
    if (directoryFile === "") return;
    const { mtimeMs } = await stat(directoryFile);
    if (mtimeMs === usedMtimeMs) return;
    const candidate = await readSignedDirectory(directoryFile, directoryKeyFile);
    const usedVersion = await findDirectoryVersion(database.reader(systemScope));
    // The time is set before the check, so that an old file is reported once, not every second.
    usedMtimeMs = mtimeMs;
    refuseDirectory(candidate, { usedVersion, environment, directoryFile });
    if (candidate.version === directory?.version) return;
    requireCommitted(
      await database.transaction(systemScope, (tx) => updateDirectoryVersion(tx, candidate.version)),
    );
    directory = candidate;
  }
  await refresh();
  const current = (): Directory | undefined => directory;
  return {
    homes: openHomeCache({ cell, database, clients, directory: current, monotonicMs }),
    peers: openPeerCells(secrets.peers, monotonicMs),
    directory: current,
    refresh,
  };
}

/**
 * Throws for a directory that must not be used: an older version than the last used one, or in live a cell without TLS.
 */
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
      `${directoryFile} is version ${version}, and this cell has used version ${usedVersion}. Put the newest directory there. To return to ` +
        `an old one, sign its content with a version above ${usedVersion}.`,
    );
  for (const [name, { url }] of cells)
    if (environment === "live" && !url.startsWith("https:") && !isLoopbackHost(hostOf(url)))
      throw new Error(
        `Cell ${name} has the address ${url}: in live it has to be https, because merchants' requests are forwarded to it.`,
      );
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
}
