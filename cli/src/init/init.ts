import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError, type Given } from "../../../server/src/commands/command.ts";
import { findRunning } from "../dev/lock.ts";
import { root } from "../dev/programs.ts";
import { didYouMean } from "../../../server/src/commands/did-you-mean.ts";
import { languages, type Language } from "./languages.ts";

/** Writes one file that runs, and the client library that it imports, into the current folder. */
export async function init(given: Given): Promise<void> {
  const [name = ""] = given.words;
  const language = Object.hasOwn(languages, name) ? languages[name] : undefined;
  if (!language) {
    const names = Object.keys(languages);
    throw new UsageError(
      `There is no ${name} to begin with, but ${names.join(", ")}.${didYouMean(name, names)}`,
    );
  }
  const folder = process.cwd();
  await writeAll(folder, language);
  const isUp = (await findRunning(join(folder, ".tollgate"))) !== undefined;
  process.stdout.write(whatNext(language, isUp));
}

/** Nothing is written when anything is in the way. */
async function writeAll(folder: string, { file, library }: Language): Promise<void> {
  const inTheWay = [file, library.to].find((name) => existsSync(join(folder, name)));
  if (inTheWay !== undefined) {
    throw new Error(
      `${inTheWay} is already in ${folder}, so nothing was written. Move it away, or begin in an empty folder.`,
    );
  }
  const missing = library.take.find((name) => !existsSync(join(root, library.from, name)));
  if (missing !== undefined) {
    throw new Error(
      `${join(root, library.from, missing)} is not there. In the repository, \`node clients/typescript/build.ts\` makes it.`,
    );
  }
  for (const name of library.take)
    await copy(join(root, library.from, name), join(folder, library.to, name), library.leave);
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

function whatNext({ file, library, needs, commands, oncePublished }: Language, isUp: boolean): string {
  const width = Math.max(file.length, library.to.length + 1);
  const dev = isUp
    ? "Next, beside the `tollgate dev` that runs in this folder"
    : "First, in another terminal, in this folder:\n\n  npx --no tollgate dev\n\nThen";
  return `
  ${file.padEnd(width)}  a shop: takes a payment, is told of it, and gives the money back
  ${`${library.to}/`.padEnd(width)}  the client library. Once it is published, ${oncePublished} takes its place

${dev} (it needs ${needs}):

${commands.map((command) => `  ${command}`).join("\n")}

`;
}
