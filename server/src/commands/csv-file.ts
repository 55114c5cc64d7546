import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Impossible } from "./command.ts";

/**
 * Writes lines to a file as they come, or to standard output without one. The file has its name only when it is whole, and takes the place
 * of one that was there before.
 */
export async function writeLines(file: string | undefined, lines: AsyncIterable<string>): Promise<void> {
  if (file === undefined) {
    await pipeline(Readable.from(lines), process.stdout, { end: false });
    return;
  }
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(lines), createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new Impossible(`There is no folder for ${file}.`);
    throw error;
  }
}
