import { createPublicKey } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { readDirectory, type Directory } from "../cells/directory.ts";
import { openHomeBook } from "../cells/home-book.ts";
import type { Fleet } from "../http/elsewhere.ts";
import { openPeerCells } from "../http/peer-cells.ts";
import { openDocument } from "../signing/signed-document.ts";
import type { Engine } from "./engine.ts";
import { monotonicMs } from "./process-core.ts";
import type { FleetSettings } from "./settings.ts";

/** A cell's fleet, with what keeps it up to date. */
export interface OpenFleet extends Omit<Fleet, "pageOrigins"> {
  /** Takes a newer directory up, if there is one; called every second. */
  refresh(): Promise<void>;
}

/** Undefined for an installation that is no cell. */
export async function openFleet(
  { cell, directoryFile, directoryKeyFile }: FleetSettings,
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
    readAtMs = mtimeMs;
    // An old copy that somebody put there leads nobody back.
    if (read.version > (directory?.version ?? 0)) directory = read;
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
