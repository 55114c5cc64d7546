import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./postgres-cluster.ts";

/** The primary's data folder on a file system that is small enough to be filled. */
export interface SmallDisk {
  /** Fills the remaining space, including space that was freed since the last time. */
  fill(): void;
  freeSpace(): void;
  /** Unmounts the disk lazily: it disappears when the last process that uses it has exited. */
  unmount(): void;
}

const diskMb = 320;

export const canMount = process.getuid?.() === 0;

/**
 * `moveToSmallDisk` moves the primary's data folder to a small disk, and restarts the primary. With `separateWal` its
 * WAL stays on the large disk, like on a separate volume.
 */
export async function moveToSmallDisk(
  cluster: Cluster,
  { separateWal = false }: { readonly separateWal?: boolean } = {},
): Promise<SmallDisk> {
  const [row] = await cluster.execute<{ folder: string }>(
    "postgres",
    "select setting as folder from pg_settings where name = 'data_directory'",
  );
  const folder = row?.folder ?? "";
  // The checkpoint removes old WAL, which would fill the small disk without a fault.
  await cluster.execute("postgres", "checkpoint");
  await cluster.killPrimary();
  const [oldFolder, wal] = [`${folder}-aside`, `${folder}-wal`];
  execFileSync("mv", [folder, oldFolder]);
  if (separateWal) {
    execFileSync("mv", [join(oldFolder, "pg_wal"), wal]);
    execFileSync("ln", ["-s", wal, join(oldFolder, "pg_wal")]);
  }
  execFileSync("mkdir", [folder]);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMb}m`, "tollgate-small-disk", folder]);
  const unmount = newUnmount(folder);
  execFileSync("sh", ["-c", `cp -a '${oldFolder}/.' '${folder}/'`]);
  execFileSync("chown", ["--reference", oldFolder, folder]);
  execFileSync("chmod", ["--reference", oldFolder, folder]);
  rmSync(oldFolder, { recursive: true });
  await cluster.restartPrimary();
  const ballast = join(folder, "ballast");
  return { fill: () => fill(ballast, folder), freeSpace: () => rmSync(ballast, { force: true }), unmount };
}

function newUnmount(folder: string): () => void {
  let isMounted = true;
  const unmount = (): void => {
    process.off("exit", unmount);
    if (isMounted) execFileSync("umount", ["--lazy", folder]);
    isMounted = false;
  };
  // The unmount runs before other exit handlers, because they can not remove the folder of a mounted disk.
  process.prependOnceListener("exit", unmount);
  return unmount;
}

function fill(ballast: string, folder: string): void {
  const megabyte = Buffer.alloc(2 ** 20);
  try {
    writeFileSync(ballast, "", { flag: "a" });
    for (let free = freeBytes(folder); free > 0; free = freeBytes(folder))
      appendFileSync(ballast, megabyte.subarray(0, Math.min(free, megabyte.length)));
  } catch {
    // The write fails with ENOSPC when the disk is full, as intended.
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
