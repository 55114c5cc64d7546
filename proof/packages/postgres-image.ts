import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDebianImage } from "./debian-image.ts";
import { podman } from "./podman.ts";

const contextFolder = fileURLToPath(new URL(".", import.meta.url));
const imageName = "localhost/tollgate-postgres:try";

/** PostgreSQL from Debian's packages, with the start script of the official image, because no registry is reachable. */
export async function buildPostgresImage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"));
  const file = join(folder, "Containerfile");
  writeFileSync(
    file,
    `FROM ${await buildDebianImage()}
RUN install --directory --owner 999 --group 999 --mode 700 /var/lib/postgresql/data
# As the usual image has it: what podman mounts over it takes the mode over, and belongs to root.
RUN install --directory --owner 999 --group 999 --mode 3777 /run/postgresql
COPY --chmod=755 postgres-entrypoint.sh /entrypoint.sh
ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin
ENTRYPOINT ["/entrypoint.sh"]
`,
  );
  try {
    await podman(
      "build",
      "--quiet",
      "--isolation",
      "chroot",
      "--tag",
      imageName,
      "--file",
      file,
      contextFolder,
    );
    return imageName;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
