import { readFile } from "node:fs/promises";

/** Error messages for files that can not be read. */
const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "you do not have permission to read it",
};

/** Reads the text of a file that the user named; throws a readable error. */
export async function readTextFile(file: string, settingName?: string): Promise<string> {
  return (await readBytes(file, settingName)).toString("utf8");
}

/** Reads the bytes of a file; `-` is standard input. */
export async function readBytes(file: string, settingName?: string): Promise<Buffer> {
  if (file === "-") return readStandardInput();
  return readFile(file).catch(({ code = "", message }: NodeJS.ErrnoException) => {
    const prefix = settingName === undefined ? "" : `${settingName} says `;
    throw new Error(`${prefix}${file}: ${problems[code] ?? message}.`);
  });
}

/** The bytes of an option's value: the text itself, or the contents of FILE for `@FILE`, like curl. */
export async function readTextOrFile(value: string): Promise<Buffer> {
  return value.startsWith("@") ? readBytes(value.slice(1)) : Buffer.from(value, "utf8");
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
