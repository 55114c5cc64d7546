import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { podman } from "./podman.ts";

const run = promisify(execFile);
const imageName = "localhost/tollgate-debian:bookworm";

/**
 * Debian with systemd and PostgreSQL, built from Debian's packages over the network, once. It takes half a minute and
 * 500 MB.
 */
export async function buildDebianImage(): Promise<string> {
  const exists = await podman("image", "exists", imageName).then(
    () => true,
    () => false,
  );
  if (exists) return imageName;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-debian-"));
  const archive = join(folder, "root.tar");
  const packages = "systemd,systemd-sysv,dbus,libstdc++6,ca-certificates,postgresql";
  try {
    await run("mmdebstrap", ["--variant=essential", `--include=${packages}`, "bookworm", archive]);
    await podman("import", archive, imageName);
    return imageName;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
