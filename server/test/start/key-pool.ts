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
  // In another thread: otherwise a gateway in this process would be slow and reject requests (load shedding).
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  if (file !== undefined) {
    // Race: another file may do the same at this moment. A key file is complete once it has its final name.
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
    renameSync(temporary, file);
  }
  return privateKey;
}
