import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts (AES-GCM) what the database stores. `place` is authenticated data, not secret: it binds the value
 * to where it belongs.
 */
export function wrap(plain: Uint8Array, key: Uint8Array, place: string): Buffer {
  const iv = randomBytes(ivBytes);
  const encryption = createCipheriv(cipher, key, iv).setAAD(Buffer.from(place, "utf8"));
  const sealed = Buffer.concat([encryption.update(plain), encryption.final()]);
  return Buffer.concat([iv, encryption.getAuthTag(), sealed]);
}

/** Throws when the key is another, the value was changed, or it was copied from another place. */
export function unwrap(wrapped: Uint8Array, key: Uint8Array, place: string): Buffer {
  const bytes = Buffer.from(wrapped);
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(place, "utf8")).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decryption.update(bytes.subarray(ivBytes + tagBytes)), decryption.final()]);
}
