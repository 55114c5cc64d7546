import { createHash, createPublicKey, type KeyObject } from "node:crypto";

/**
 * `readPublicKeys` reads the public keys of the accounts service by key id: concatenated PEM blocks, as its command
 * `token-key show` prints them. During a rotation there are two. It throws if the text has no valid public keys.
 */
export function readPublicKeys(text: string): ReadonlyMap<string, KeyObject> {
  if (/PRIVATE KEY-----/.test(text))
    throw new Error("The file has a private key. Only accounts may have it; use its public key.");
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  if (blocks.length === 0) throw new Error("The file has no public key in PEM format.");
  const keys = blocks.map((block) => createPublicKey(block));
  if (!keys.every(({ asymmetricKeyType }) => asymmetricKeyType === "ed25519"))
    throw new Error("Every key in the file must be an Ed25519 key.");
  return new Map(keys.map((key) => [keyIdOf(key), key]));
}

/** The `kid` is derived from the key, so a configuration cannot name the wrong key. */
export function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(der).digest("base64url").slice(0, 16);
}
