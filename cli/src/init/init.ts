import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { findRunning } from "../running-file.ts";
import { root } from "../dev/programs.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { languages, type Language } from "./languages.ts";

/** Writes a runnable shop and the client library that it imports into the current folder. */
export async function init(args: CommandArguments): Promise<void> {
  const [name = ""] = args.positionals;
  const language = Object.hasOwn(languages, name) ? languages[name] : undefined;
  if (!language) {
    const names = Object.keys(languages);
    throw new UsageError(
      `Unknown language ${name}. Choose one of ${names.join(", ")}.${didYouMean(name, names)}`,
    );
  }
  const folder = process.cwd();
  await writeFiles(folder, language);
  const isUp = (await findRunning(join(folder, ".tollgate"))) !== undefined;
  process.stdout.write(formatNextSteps(language, isUp));
}

/** Writes all files, or nothing if one of them exists already. */
async function writeFiles(folder: string, { file, library }: Language): Promise<void> {
  const existingFile = [file, library.to].find((name) => existsSync(join(folder, name)));
  if (existingFile !== undefined) {
    throw new Error(
      `${existingFile} is already in ${folder}, so nothing was written. Move it, or use an empty folder.`,
    );
  }
  const missing = library.include.find((name) => !existsSync(join(root, library.from, name)));
  if (missing !== undefined) {
    throw new Error(
      `${join(root, library.from, missing)} does not exist. In the repository, \`node clients/typescript/build.ts\` creates it.`,
    );
  }
  for (const name of library.include)
    await copy(join(root, library.from, name), join(folder, library.to, name), library.exclude);
  await copy(join(root, "LICENSE"), join(folder, library.to, "LICENSE"));
  await copy(join(root, "cli/templates", file), join(folder, file));
}

async function copy(from: string, to: string, leave = /__pycache__/): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, {
    recursive: true,
    errorOnExist: true,
    force: false,
    filter: (path) => !leave.test(path.slice(from.length)),
  });
}

function formatNextSteps({ file, library, needs, commands, oncePublished }: Language, isUp: boolean): string {
  const width = Math.max(file.length, library.to.length + 1);
  const dev = isUp
    ? "Next, in a terminal in this folder, where `tollgate dev` runs"
    : "First, in another terminal, in this folder:\n\n  npx --no tollgate dev\n\nThen";
  return `
  ${file.padEnd(width)}  a shop: starts a payment, receives the webhook and refunds
  ${`${library.to}/`.padEnd(width)}  the client library. Once it is published, ${oncePublished} takes its place

${dev} (it needs ${needs}):

${commands.map((command) => `  ${command}`).join("\n")}

`;
}
