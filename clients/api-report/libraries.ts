import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { exportedPackages, javaApi } from "./java.ts";
import type { ApiLine } from "./report.ts";
import { typescriptApi } from "./typescript.ts";

/** The inputs for reading the API of a library from its sources. */
export interface ApiSource {
  /** The library's folder, in the repository or in a copy. */
  readonly home: string;
  /** An empty folder for the output of a compiler. */
  readonly out: string;
  /** Types of the API that only the gateway writes. */
  readonly readOnly: ReadonlySet<string>;
}

export const libraries: Readonly<Record<string, (source: ApiSource) => Promise<ApiLine[]>>> = {
  async typescript({ home, out, readOnly }) {
    await declareTypescript(home, out);
    return typescriptApi(out, readOnly);
  },

  async java({ home, out }) {
    await compileJava(
      globSync("src/main/java/io/**/*.java", { cwd: home }).map((path) => join(home, path)),
      out,
    );
    return javaApiOf(out);
  },

  php: ({ home }) => readApiLines("php", [join(import.meta.dirname, "php-api.php"), home]),

  python: ({ home }) =>
    readApiLines("python3", [join(import.meta.dirname, "python_api.py"), join(home, "src/tollgate_client")]),

  async go({ home, out }) {
    const program = join(out, "go-api");
    await runProgram("go", ["build", "-o", program, "."], join(import.meta.dirname, "go"));
    return readApiLines(program, [home, join(home, "tollgatetest")]);
  },
};

/** Runs the TypeScript compiler, which writes only the declarations. No code of the library is run. */
async function declareTypescript(home: string, out: string): Promise<void> {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const types = join(import.meta.dirname, "../../node_modules/@types");
  await runProgram(process.execPath, [
    compiler,
    "--project",
    join(home, "tsconfig.esm.json"),
    "--outDir",
    out,
    "--emitDeclarationOnly",
    "--typeRoots",
    types,
  ]);
}

/** @param classpath the compiled classes, if only some files are compiled */
export async function compileJava(files: readonly string[], out: string, classpath = out): Promise<void> {
  await mkdir(out, { recursive: true });
  const compilerOptions = ["-proc:none", "-nowarn", "-XDstringConcat=inline", "-J-XX:TieredStopAtLevel=1"];
  await runProgram("javac", ["--release", "17", ...compilerOptions, "-cp", classpath, "-d", out, ...files]);
}

export async function javaApiOf(classes: string): Promise<ApiLine[]> {
  const names = globSync(`{${exportedPackages.join(",")}}/*.class`, { cwd: classes });
  return javaApi(await runProgram("javap", ["-protected", ...names.toSorted()], classes));
}

async function readApiLines(program: string, parameters: readonly string[]): Promise<ApiLine[]> {
  const lines = (await runProgram(program, parameters)).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as ApiLine);
}

/** Runs a program and returns its output; on failure, the error includes the output. */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  cwd?: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...parameters], {
    cwd,
    maxBuffer: 1 << 26,
    timeout: 300_000,
  });
  return stdout;
}
