import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Cluster } from "../installation/postgres-cluster.ts";
import {
  postgresUser,
  changeOwner,
  restoreServer,
  waitUntil,
  type PostgresServer,
} from "../installation/postgres-server.ts";

/** Backups and WAL archive of a cluster's primary in a repository, with pgBackRest, as in docs/operating/backup.md. */
export interface Archive {
  /** Takes a full online backup. Returns its duration in ms. */
  backUp(): Promise<number>;
  /** Restores a server to the end of the archive, or to a point in time. The restored server accepts writes. */
  restore(folder: string, at?: Date): Promise<PostgresServer>;
}

const run = promisify(execFile);
const stanza = "tollgate";
/** A WAL segment is archived after this time even if it is not full. This limits the loss if all disks are lost. */
export const archiveTimeoutSeconds = 30;

/**
 * `startArchive` enables WAL archiving. It restarts the primary once, because `archive_mode` can not be changed in a
 * running server.
 */
export async function startArchive(cluster: Cluster, folder: string): Promise<Archive> {
  const { password, port } = new URL(cluster.primaryUrl("postgres"));
  const [dataLocation] = await cluster.execute<{ data: string; sockets: string }>(
    "postgres",
    "select current_setting('data_directory') as data, current_setting('unix_socket_directories') as sockets",
  );
  if (!dataLocation) throw new Error("The primary has no data directory.");
  const settings = writeSettings(folder, { ...dataLocation, port });
  const pgbackrest = async (...args: readonly string[]): Promise<void> => {
    const env = { ...process.env, PGPASSWORD: password, HOME: folder };
    await run("pgbackrest", [`--config=${settings}`, `--stanza=${stanza}`, ...args], {
      ...postgresUser(),
      cwd: folder,
      env,
    });
  };
  for (const [name, value] of Object.entries({
    archive_mode: "on",
    archive_command: `pgbackrest --config=${settings} --stanza=${stanza} archive-push %p`,
    archive_timeout: `${archiveTimeoutSeconds}s`,
  }))
    await cluster.execute("postgres", `alter system set ${name} = '${value}'`);
  await cluster.stopPrimary();
  await cluster.restartPrimary();
  await pgbackrest("stanza-create");
  return {
    async backUp() {
      const startedAtMs = performance.now();
      await pgbackrest("--type=full", "backup");
      return performance.now() - startedAtMs;
    },
    async restore(into, at) {
      const target = at
        ? [
            "--type=time",
            `--target=${at.toISOString().replace("T", " ").replace("Z", "+00")}`,
            "--target-action=promote",
          ]
        : [];
      const server = await restoreServer(
        { name: "restored", folder: into, password, durable: false },
        async (data) => pgbackrest(`--pg1-path=${data}`, ...target, "restore"),
      );
      await server.start();
      // The restored server has no standby, so a commit that waits for one would wait without limit.
      await server.execute("postgres", "alter system reset synchronous_standby_names");
      await server.execute("postgres", "select pg_reload_conf()");
      await waitUntil(async () => {
        const [row] = await server.execute<{ recovers: boolean }>(
          "postgres",
          "select pg_is_in_recovery() as recovers",
        );
        return row?.recovers === false;
      });
      return server;
    },
  };
}

interface PrimaryLocation {
  readonly data: string;
  readonly sockets: string;
  readonly port: string;
}

function writeSettings(folder: string, { data, sockets, port }: PrimaryLocation): string {
  const folders = ["repository", "locks", "spool"].map((name) => join(folder, name));
  for (const each of folders) {
    mkdirSync(each, { mode: 0o700 });
    changeOwner(each);
  }
  const [repository, locks, spool] = folders;
  const file = join(folder, "pgbackrest.conf");
  writeFileSync(
    file,
    `[global]
repo1-path=${repository}
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=${randomBytes(32).toString("base64")}
repo1-retention-full=2
lock-path=${locks}
spool-path=${spool}
log-level-console=warn
log-level-file=off
start-fast=y
compress-type=lz4

[${stanza}]
pg1-path=${data}
pg1-port=${port}
pg1-socket-path=${sockets}
pg1-user=postgres
`,
    { mode: 0o600 },
  );
  changeOwner(file);
  return file;
}
