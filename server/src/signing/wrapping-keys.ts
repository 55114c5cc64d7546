import { createHmac } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { unwrap, wrap } from "./wrapping.ts";

/** A wrapping key with its id. Each value that the key wrapped is stored with this id. */
interface WrappingKey {
  readonly id: Buffer;
  readonly key: Uint8Array;
}

/** The current wrapping key, and during a rotation the previous one, which still decrypts its values. */
export interface WrappingKeys {
  readonly current: WrappingKey;
  readonly previous?: WrappingKey | undefined;
}

const idBytes = 8;

export function createWrappingKeys(current: Uint8Array, previous?: Uint8Array): WrappingKeys {
  return { current: addKeyId(current), previous: previous && addKeyId(previous) };
}

/** Reads the key file, and the previous one during a rotation. */
export async function readWrappingKeys(keyFile: string, oldKeyFile = ""): Promise<WrappingKeys> {
  const current = await readKeyEncryptionKey(keyFile);
  return createWrappingKeys(current, oldKeyFile === "" ? undefined : await readKeyEncryptionKey(oldKeyFile));
}

/** Wraps a value with the current key. The result begins with the key's id. */
export function wrapWithCurrentKey(
  { current }: WrappingKeys,
  plain: Uint8Array,
  associatedData: string,
): Buffer {
  return Buffer.concat([current.id, wrap(plain, current.key, associatedData)]);
}

/**
 * Unwraps a value. It throws if none of the keys has wrapped the value, the value was changed, or it was copied from
 * another place.
 */
export function unwrapWithAnyKey(
  { current, previous }: WrappingKeys,
  wrapped: Uint8Array,
  associatedData: string,
): Buffer {
  const keys = previous ? [current, previous] : [current];
  const wrappingKey = keys.find((key) => isWrappedBy(key, wrapped));
  if (wrappingKey) return unwrap(wrapped.subarray(idBytes), wrappingKey.key, associatedData);
  // The value was wrapped before key ids existed, or with an unknown key. Every key is tried, because AES-GCM detects a
  // wrong key.
  for (const { key } of keys.slice(1)) {
    try {
      return unwrap(wrapped, key, associatedData);
    } catch {
      // This error is ignored: the error that counts is that of the current key.
    }
  }
  return unwrap(wrapped, current.key, associatedData);
}

/** Wraps the same value with the current key; undefined if that key has wrapped it already. */
export function rewrapWithCurrentKey(
  keys: WrappingKeys,
  wrapped: Uint8Array,
  associatedData: string,
): Buffer | undefined {
  return isWrappedBy(keys.current, wrapped)
    ? undefined
    : wrapWithCurrentKey(keys, unwrapWithAnyKey(keys, wrapped, associatedData), associatedData);
}

function isWrappedBy({ id }: WrappingKey, wrapped: Uint8Array): boolean {
  return id.equals(wrapped.subarray(0, idBytes));
}

/** A key with its id. The id reveals nothing about the key, because it is a truncated keyed hash. */
function addKeyId(key: Uint8Array): WrappingKey {
  return {
    id: createHmac("sha256", key).update("tollgate wrapping key id").digest().subarray(0, idBytes),
    key,
  };
}

/** Forbidden mode bits: any access for others, and write access for the group. */
const forbiddenModeBits = 0o027;

/**
 * Reads the key encryption key: 32 bytes in base64, in a file that is not world-readable. The file's group may read it:
 * systemd's `LoadCredential=` and a Kubernetes Secret with `fsGroup` provide files of root that the gateway's group can
 * read.
 */
export async function readKeyEncryptionKey(file: string): Promise<Buffer> {
  if (file === "") throw new Error("Set TOLLGATE_KEY_FILE: this needs the key file itself.");
  const { mode } = await stat(file);
  if ((mode & forbiddenModeBits) !== 0) {
    const modeText = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${file} has mode ${modeText}, so others can read or change it. Set it to 0400, or to 0440 for a group of its own.`,
    );
  }
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "base64");
  if (key.length !== 32) throw new Error(`${file} has to hold 32 bytes in base64, and holds ${key.length}.`);
  return key;
}
