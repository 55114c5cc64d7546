import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandFailed } from "../../core/command-errors.ts";

/**
 * `writeLines` writes lines to a file, or to standard output if no file is given. The file is written under a
 * temporary name and replaces an earlier file only when it is complete.
 */
export async function writeLines(file: string | undefined, lines: AsyncIterable<string>): Promise<void> {
  if (file === undefined) {
    await pipeline(Readable.from(lines), process.stdout, { end: false });
    return;
  }
  const temporaryFile = `${file}.part`;
  try {
    await pipeline(Readable.from(lines), createWriteStream(temporaryFile));
    await rename(temporaryFile, file);
  } catch (error) {
    await rm(temporaryFile, { force: true });
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new CommandFailed(`The folder of ${file} does not exist. Create it, or choose another folder.`);
    throw error;
  }
}
