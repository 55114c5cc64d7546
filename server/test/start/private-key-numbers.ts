import { createPrivateKey } from "node:crypto";
import { readWrappingKeys, unwrapWithAnyKey } from "../../src/signing/wrapping-keys.ts";

/** A gateway key's encrypted private halves, as stored in the database. */
export interface WrappedHalves {
  readonly wrapped_private_key: Buffer;
  readonly wrapped_ed25519_private_key: Buffer;
}

/**
 * The secret numbers of the first gateway key as they would be in memory: in the byte order of key files, and in the
 * reverse order in which OpenSSL computes.
 */
export async function readPrivateKeyNumbers(
  row: WrappedHalves,
  keyFile: string,
  environment: string,
): Promise<Readonly<Record<string, Buffer>>> {
  const keys = await readWrappingKeys(keyFile);
  const associatedData = `tollgate gateway key ${environment} 1`;
  const readNumbers = (wrapped: Buffer, at: string): { readonly [name: string]: unknown } =>
    createPrivateKey({ key: unwrapWithAnyKey(keys, wrapped, at), format: "der", type: "pkcs8" }).export({
      format: "jwk",
    });
  const rsa = readNumbers(row.wrapped_private_key, associatedData);
  const edwards = readNumbers(row.wrapped_ed25519_private_key, `${associatedData} Ed25519`);
  const named = { p: rsa["p"], q: rsa["q"], ed25519: edwards["d"] };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, base64]) => {
      const bytes = Buffer.from(String(base64), "base64url");
      return [
        [name, bytes.subarray(0, 32)],
        [`${name} reversed`, Buffer.from(bytes.toReversed()).subarray(0, 32)],
      ];
    }),
  );
}
