import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const run = promisify(execFile);
const folder = fileURLToPath(new URL("../server/native/", import.meta.url));
const checks =
  "-Wall -Wextra -Werror -Wno-unused-function -fsanitize=address,undefined -fno-sanitize-recover=all";
const flags = `-std=c11 -O1 -g -D_DEFAULT_SOURCE ${checks} -fno-omit-frame-pointer`.split(" ");

export interface Fuzzer {
  /**
   * Runs the fuzzer and returns its output, whose last line is a summary. An error has the sanitizer's report in
   * `stderr`.
   */
  run(options: { readonly seed: string; readonly seconds: number; readonly from?: string }): Promise<string>;
}

/** Compiles the hostile module into a folder; all fuzzers use it. */
export async function buildHostileModule(into: string): Promise<string> {
  const file = join(into, "hostile-module.so");
  await run("gcc", [...flags, "-fPIC", "-shared", join(folder, "fuzz/hostile-module.c"), "-o", file]);
  return file;
}

/** Compiles the harness with the binding, or with a changed copy of it. */
export async function buildFuzzer(
  into: string,
  hostileModule: string,
  binding = join(folder, "pkcs11.c"),
): Promise<Fuzzer> {
  const file = join(into, "harness");
  const headers = join(dirname(process.execPath), "../include/node");
  const inputs = [`-DBINDING="${binding}"`, "-I", headers, join(folder, "fuzz/harness.c")];
  await run("gcc", [...flags, ...inputs, "-o", file, "-lpthread", "-ldl"]);
  return {
    async run({ seed, seconds, from = "0" }) {
      const { stdout } = await run(file, [hostileModule, seed, String(seconds), from]);
      return stdout.trim();
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      seconds: { type: "string", default: "60" },
      from: { type: "string", default: "0" },
    },
  });
  const into = mkdtempSync(join(tmpdir(), "tollgate-fuzz-"));
  process.once("exit", () => rmSync(into, { recursive: true, force: true }));
  const fuzzer = await buildFuzzer(into, await buildHostileModule(into));
  process.stdout.write(`${await fuzzer.run({ ...values, seconds: Number(values.seconds) })}\n`);
}
