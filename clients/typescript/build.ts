import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Builds `dist` twice, for `import` and for `require`. The builds differ in one setting and in one file. */
const here = import.meta.dirname;
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const run = promisify(execFile);

await rm(join(here, "dist"), { recursive: true, force: true });
await build("esm", "module");
await build("cjs", "commonjs");

async function build(form: "esm" | "cjs", type: "module" | "commonjs"): Promise<void> {
  const out = join(here, "dist", form);
  const project = join(here, `tsconfig.${form}.json`);
  await run(process.execPath, [compiler, "--project", project, "--outDir", out]).catch(
    (error: { readonly stdout: string }) => {
      throw new Error(error.stdout);
    },
  );
  await rewriteDeclarations(out);
  await writeFile(join(out, "package.json"), `${JSON.stringify({ type })}\n`);
}

/**
 * Rewrites the imports in declaration files, because the compiler rewrites only imports in code, and older
 * compilers do not resolve `.ts` in declarations.
 */
async function rewriteDeclarations(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((each) => each.endsWith(".d.ts"))) {
    const text = await readFile(join(folder, name), "utf8");
    await writeFile(join(folder, name), text.replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
  }
}
