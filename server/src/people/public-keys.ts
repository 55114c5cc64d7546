import { createHash, createPublicKey, type KeyObject } from "node:crypto";

/**
 * Public keys of accounts, by their ids: PEM blocks one behind the other, as `token-key show` of accounts prints them. Two overlap
 * while they are rotated. Throws, in words, on what is none.
 */
export function readPublicKeys(text: string): ReadonlyMap<string, KeyObject> {
  if (/PRIVATE KEY-----/.test(text))
    throw new Error("There is a private key in it. Leave that with accounts.");
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  if (blocks.length === 0) throw new Error("There is no public key in it, in PEM.");
  const keys = blocks.map((block) => createPublicKey(block));
  if (!keys.every(({ asymmetricKeyType }) => asymmetricKeyType === "ed25519"))
    throw new Error("Every key in it has to be an Ed25519 key.");
  return new Map(keys.map((key) => [keyIdOf(key), key]));
}

/** The `kid` of a key is made from the key, so that no configuration can name another one by mistake. */
export function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(der).digest("base64url").slice(0, 16);
}
