import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts (AES-GCM) a value for the database. `associatedData` is authenticated data, not secret: it binds the value to its
 * row.
 */
export function wrap(plain: Uint8Array, key: Uint8Array, associatedData: string): Buffer {
  const iv = randomBytes(ivBytes);
  const encryption = createCipheriv(cipher, key, iv).setAAD(Buffer.from(associatedData, "utf8"));
  const sealed = Buffer.concat([encryption.update(plain), encryption.final()]);
  return Buffer.concat([iv, encryption.getAuthTag(), sealed]);
}

/** Decrypts a value. It throws if the key is wrong, the value was changed, or it was copied from another place. */
export function unwrap(wrapped: Uint8Array, key: Uint8Array, associatedData: string): Buffer {
  const bytes = Buffer.from(wrapped);
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decryption
    .setAAD(Buffer.from(associatedData, "utf8"))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decryption.update(bytes.subarray(ivBytes + tagBytes)), decryption.final()]);
}
