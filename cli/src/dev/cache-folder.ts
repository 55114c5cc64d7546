import { homedir } from "node:os";
import { join } from "node:path";

/**
 * What can be made again is kept here: compiled code, and a copy of the embedded PostgreSQL. Root's is a folder of the
 * system's, because the server runs as `nobody`, who cannot enter root's home.
 */
export function cacheFolder(): string {
  if (process.getuid?.() === 0) return "/var/cache/tollgate";
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "tollgate");
}
