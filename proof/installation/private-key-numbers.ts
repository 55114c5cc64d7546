import { createDecipheriv, createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";

/** The encrypted private keys of a gateway key, as stored in the database. */
export interface WrappedPrivateKeys {
  readonly wrapped_private_key: Buffer;
  readonly wrapped_ed25519_private_key: Buffer;
}

/**
 * The secret numbers of the first gateway key of a sandbox in both byte orders of memory: big-endian, as keys are
 * encoded, and little-endian, as OpenSSL computes with them.
 */
export function readPrivateKeyNumbers(
  row: WrappedPrivateKeys,
  keyFile: string,
): Readonly<Record<string, Buffer>> {
  const wrappingKey = Buffer.from(readFileSync(keyFile, "utf8"), "base64");
  const rsa = decryptKeyNumbers(row.wrapped_private_key, wrappingKey, "");
  const ed25519 = decryptKeyNumbers(row.wrapped_ed25519_private_key, wrappingKey, " Ed25519");
  return Object.fromEntries(
    Object.entries({ p: rsa["p"], q: rsa["q"], ed25519: ed25519["d"] }).flatMap(([name, base64]) => {
      const bytes = Buffer.from(String(base64), "base64url");
      return [
        [name, bytes.subarray(0, 32)],
        [`${name} reversed`, Buffer.from(bytes.toReversed()).subarray(0, 32)],
      ];
    }),
  );
}

/**
 * The storage format: 8 bytes of the wrapping key's id, 12 of nonce, 16 of tag, then AES-256-GCM ciphertext bound to
 * its row.
 */
function decryptKeyNumbers(
  wrapped: Buffer,
  wrappingKey: Buffer,
  kind: string,
): { readonly [name: string]: unknown } {
  const decryption = createDecipheriv("aes-256-gcm", wrappingKey, wrapped.subarray(8, 20));
  decryption
    .setAAD(Buffer.from(`tollgate gateway key sandbox 1${kind}`))
    .setAuthTag(wrapped.subarray(20, 36));
  const key = Buffer.concat([decryption.update(wrapped.subarray(36)), decryption.final()]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" }).export({ format: "jwk" });
}
