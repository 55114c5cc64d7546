import { createHash, timingSafeEqual } from "node:crypto";
import { readFile, stat } from "node:fs/promises";

/** Whether an `Authorization` header carries the secret as a bearer token. */
export type IsControlSecret = (authorization: string) => boolean;

const charactersMin = 32;
/** Forbidden mode bits: any access for others, and write access for the group. */
const forbiddenModeBits = 0o027;

/** Reads the sandbox's control secret: one line of at least 32 characters, in a file that is not world-readable. */
export async function openControlSecret(file: string): Promise<IsControlSecret> {
  const { mode } = await stat(file);
  if ((mode & forbiddenModeBits) !== 0) {
    const modeText = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${file} has mode ${modeText}, so others can read or change it. Set it to 0400, 0440 or 0600.`,
    );
  }
  const secret = (await readFile(file, "utf8")).trim();
  if (!/^[\x21-\x7e]+$/.test(secret) || secret.length < charactersMin)
    throw new Error(
      `${file} has to hold one line of at least ${charactersMin} characters, such as \`openssl rand -hex 32\` prints.`,
    );
  const expected = digest(`Bearer ${secret}`);
  // The comparison of digests takes constant time, so that a timing attack cannot find the length or a prefix of the
  // secret.
  return (authorization) => timingSafeEqual(digest(authorization), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
