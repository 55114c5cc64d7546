import { createPublicKey, type KeyObject } from "node:crypto";
import { InvalidKeyError } from "../../../clients/typescript/src/errors.ts";
import { readKey, type RsaKey } from "../../../clients/typescript/src/key-text.ts";
import { readTextFile } from "./read-file.ts";

/** The public key of a text that contains a private or a public key. */
export function parsePublicKey(text: string): KeyObject {
  return toKeyObject(parsePrivateOrPublicKey(text).spki);
}

/** Keys by their file names: `live.pem,old.pem`. */
export async function readKeyFiles(names: string | undefined): Promise<ReadonlyMap<string, KeyObject>> {
  const files = (names ?? "").split(",").filter(Boolean);
  const keys = await Promise.all(files.map(async (file) => [file, await readKeyFile(file)] as const));
  return new Map(keys);
}

export async function readKeyFile(file: string): Promise<KeyObject> {
  const text = await readTextFile(file);
  try {
    return parsePublicKey(text);
  } catch (error) {
    throw addFileName(file, error);
  }
}

export function isSameKey(left: KeyObject, right: KeyObject): boolean {
  return left.equals(right);
}

/** Reads a private key as well if a public key is expected, and the reverse. */
function parsePrivateOrPublicKey(text: string): RsaKey {
  try {
    return readKey(text, "private");
  } catch (error) {
    if (error instanceof InvalidKeyError && error.reason === "PUBLIC_INSTEAD_OF_PRIVATE")
      return readKey(text, "public");
    throw error;
  }
}

/** Puts the file name before the client library's message. */
function addFileName(file: string, error: unknown): unknown {
  if (!(error instanceof InvalidKeyError)) return error;
  return new Error(`${file}: ${error.message.replace(/^.*? cannot be used: /, "")}`);
}

function toKeyObject(spki: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
}
