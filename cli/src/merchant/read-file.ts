import { readFile } from "node:fs/promises";

/** What stops people from reading a file, in words. */
const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "you may not read it",
};

/** The text of a file that somebody named; a sentence if it cannot be read. */
export async function readTextFile(file: string, namedBy?: string): Promise<string> {
  return (await readBytes(file, namedBy)).toString("utf8");
}

/** Its bytes; `-` is standard input. */
export async function readBytes(file: string, namedBy?: string): Promise<Buffer> {
  if (file === "-") return readStandardInput();
  return readFile(file).catch(({ code = "", message }: NodeJS.ErrnoException) => {
    const by = namedBy === undefined ? "" : `${namedBy} says `;
    throw new Error(`${by}${file}: ${problems[code] ?? message}.`);
  });
}

/** What an option gives: text as it is, or with @ in front of it the file of that name, as curl has it. */
export async function bytesOf(value: string): Promise<Buffer> {
  return value.startsWith("@") ? readBytes(value.slice(1)) : Buffer.from(value, "utf8");
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
