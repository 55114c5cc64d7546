import { createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { runFolderVariable } from "./test-database.ts";

let taken = 0;

/**
 * The next RSA key of this process, 2048 bits. Generating one takes longer than most tests, so the files of a run share
 * them: the fifth key is the same in every file. Files do not share data, and within a file all keys differ.
 */
export async function takeRsaKey(): Promise<KeyObject> {
  taken += 1;
  const folder = process.env[runFolderVariable];
  const file = folder === undefined ? undefined : join(folder, `rsa-${taken}.pem`);
  if (file !== undefined && existsSync(file)) return createPrivateKey(readFileSync(file));
  // The key is generated in another thread. Otherwise a gateway in this process would be slow and reject requests (load
  // shedding).
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  if (file !== undefined) {
    // Race: another test file may create the same key at this moment. The rename ensures that a file with the final
    // name is complete.
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
    renameSync(temporary, file);
  }
  return privateKey;
}
