import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Compiles one of the native files (`rsa-lanes`, `pkcs11`) with the C compiler and Node's header files of this machine; the last line is the file's path. */
const [name = "", given] = process.argv.slice(2);
const pathOf = (ending: string): string =>
  fileURLToPath(new URL(`../server/native/${name}.${ending}`, import.meta.url));
const [source, file] = [pathOf("c"), given ?? pathOf("node")];
const headers = join(dirname(process.execPath), "../include/node");
if (!existsSync(join(headers, "node_api.h")))
  throw new Error(`${headers} has no node_api.h: Node's own archives have it beside the program.`);
const flags = "-std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden".split(" ");
await promisify(execFile)(process.env["CC"] ?? "cc", [...flags, "-I", headers, source, "-o", file]);
process.stdout.write(`${file}\n`);
