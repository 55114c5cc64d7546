import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { dataFilesIn } from "./data-files.ts";
import { findRunning } from "../running-file.ts";
import { resolvePostgresFolder, type DevState } from "./data-folder.ts";
import { buildLoginUrl } from "./database-logins.ts";

/** Settings for operator commands on the `tollgate dev` of the folder; undefined if none runs. */
export async function ownerSettings(folder: string): Promise<Readonly<Record<string, string>> | undefined> {
  const dataFolder = resolve(folder);
  const running = await findRunning(dataFolder);
  if (!running) return undefined;
  const { secret } = JSON.parse(await readFile(join(dataFolder, "dev.json"), "utf8")) as DevState;
  const pidFile = join(await resolvePostgresFolder(dataFolder), "data/postmaster.pid");
  // The fourth line of PostgreSQL's pid file is its port.
  const [, , , port] = (await readFile(pidFile, "utf8")).split("\n");
  const server = { url: (database: string) => `postgres://postgres:@127.0.0.1:${port}/${database}` };
  return {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: buildLoginUrl(server, secret, "tollgate_owner"),
    TOLLGATE_KEY_FILE: dataFilesIn(dataFolder).keyFile,
    TOLLGATE_PUBLIC_URL: running.baseUrl,
    TOLLGATE_CONTROL_SECRET_FILE: dataFilesIn(dataFolder).controlSecretFile,
  };
}
