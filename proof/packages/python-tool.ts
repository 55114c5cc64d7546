import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const cache = fileURLToPath(new URL("../../node_modules/.cache/python/", import.meta.url));

/** The system's Python if there is one, because every user may run it. */
const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
/** The Python with pip. */
const installer = process.env["PYTHON"] ?? "python3";

/**
 * The folder with the programs of Python packages. They are installed over the network once, next to our own packages.
 */
export async function installPythonTool(...packages: readonly [string, ...string[]]): Promise<string> {
  const home = join(cache, packages.join("-").replaceAll(/[^\w.=-]/g, "_"));
  const marker = join(home, "whole");
  if (!existsSync(marker)) {
    await mkdir(cache, { recursive: true });
    await rm(home, { recursive: true, force: true });
    await run(python, ["-m", "venv", "--without-pip", home]);
    const install = ["-m", "pip", "--python", join(home, "bin/python"), "install", "--quiet"];
    await run(installer, [...install, ...packages]);
    await writeFile(marker, "");
  }
  return join(home, "bin");
}
