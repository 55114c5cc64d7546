import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Compiles the PKCS#11 binding with the C compiler and Node header files of this machine; the last line of the output
 * is the path of the compiled file.
 */
const pathOf = (ending: string): string =>
  fileURLToPath(new URL(`../server/native/pkcs11.${ending}`, import.meta.url));
const [source, file] = [pathOf("c"), process.argv[2] ?? pathOf("node")];
const headers = join(dirname(process.execPath), "../include/node");
if (!existsSync(join(headers, "node_api.h")))
  throw new Error(`${headers} has no node_api.h. Node's own archives include it.`);
const flags = "-std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden".split(" ");
await promisify(execFile)(process.env["CC"] ?? "cc", [...flags, "-I", headers, source, "-o", file]);
process.stdout.write(`${file}\n`);
