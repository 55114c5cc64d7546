import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { filesIn } from "./files.ts";
import { findRunning } from "../running.ts";
import { reachableFolder, type Kept } from "./data-folder.ts";
import { loginOf } from "./roles.ts";

/** Settings for operator commands on the `tollgate dev` of the folder; undefined if none runs. */
export async function ownerSettings(folder: string): Promise<Readonly<Record<string, string>> | undefined> {
  const place = resolve(folder);
  const running = await findRunning(place);
  if (!running) return undefined;
  const { secret } = JSON.parse(await readFile(join(place, "dev.json"), "utf8")) as Kept;
  const pidFile = join(await reachableFolder(place), "data/postmaster.pid");
  // The fourth line of PostgreSQL's pid file is its port.
  const [, , , port] = (await readFile(pidFile, "utf8")).split("\n");
  const server = { url: (database: string) => `postgres://postgres:@127.0.0.1:${port}/${database}` };
  return {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: loginOf(server, secret, "tollgate_owner"),
    TOLLGATE_KEY_FILE: filesIn(place).keyFile,
    TOLLGATE_PUBLIC_URL: running.baseUrl,
    TOLLGATE_CONTROL_SECRET_FILE: filesIn(place).controlSecretFile,
  };
}
