import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The folder for files that can be created again: compiled code, and a copy of the embedded PostgreSQL. For root it is
 * a system folder, because the database server runs as the user `nobody`, who can not enter root's home.
 */
export function cacheFolder(): string {
  if (process.getuid?.() === 0) return "/var/cache/tollgate";
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "tollgate");
}
