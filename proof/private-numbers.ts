import { createDecipheriv, createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";

/** A gateway key's private halves, as the database has them. */
export interface WrappedHalves {
  readonly wrapped_private_key: Buffer;
  readonly wrapped_ed25519_private_key: Buffer;
}

/**
 * The secret numbers of the first gateway key of a sandbox as memory would have them: the way keys are written, and the way in which
 * OpenSSL computes with them, which is the other way round.
 */
export function privateNumbers(row: WrappedHalves, keyFile: string): Readonly<Record<string, Buffer>> {
  const wrappingKey = Buffer.from(readFileSync(keyFile, "utf8"), "base64");
  const rsa = numbersOf(row.wrapped_private_key, wrappingKey, "");
  const edwards = numbersOf(row.wrapped_ed25519_private_key, wrappingKey, " Ed25519");
  return Object.fromEntries(
    Object.entries({ p: rsa["p"], q: rsa["q"], ed25519: edwards["d"] }).flatMap(([name, base64]) => {
      const bytes = Buffer.from(String(base64), "base64url");
      return [
        [name, bytes.subarray(0, 32)],
        [`${name} reversed`, Buffer.from(bytes.toReversed()).subarray(0, 32)],
      ];
    }),
  );
}

/** As the format says: 8 bytes of the wrapping key's id, 12 of nonce, 16 of tag, then AES-256-GCM bound to its place. */
function numbersOf(wrapped: Buffer, wrappingKey: Buffer, kind: string): { readonly [name: string]: unknown } {
  const decryption = createDecipheriv("aes-256-gcm", wrappingKey, wrapped.subarray(8, 20));
  decryption
    .setAAD(Buffer.from(`tollgate gateway key sandbox 1${kind}`))
    .setAuthTag(wrapped.subarray(20, 36));
  const key = Buffer.concat([decryption.update(wrapped.subarray(36)), decryption.final()]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" }).export({ format: "jwk" });
}
