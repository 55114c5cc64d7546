import { readFileSync, statSync } from "node:fs";

/** Forbidden mode bits: any access for others, and write access for the group. */
const forbiddenModeBits = 0o027;

/** Reads a secret of one line. Its file must not be world-readable. */
export function readSecretFile(file: string): string {
  const { mode } = statSync(file);
  if ((mode & forbiddenModeBits) !== 0) {
    const found = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${file} has mode ${found}, so others can read or change it. Set it to 0400, 0440 or 0600.`,
    );
  }
  const secret = readFileSync(file, "utf8").trim();
  if (secret === "" || secret.includes("\n")) throw new Error(`${file} has to hold one line.`);
  return secret;
}
