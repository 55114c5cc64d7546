import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFile, stat } from "node:fs/promises";

/** Forbidden mode bits: any access for others, and write access for the group. */
const forbiddenModeBits = 0o027;

export interface TokenKey {
  /**
   * The key id is derived from the public key, so that a gateway's configuration cannot name another key by mistake.
   */
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** `readTokenKey` reads the private key that signs tokens, as `openssl genpkey -algorithm ed25519` writes it. */
export async function readTokenKey(file: string): Promise<TokenKey> {
  const { mode } = await stat(file);
  if ((mode & forbiddenModeBits) !== 0) {
    const found = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${file} has mode ${found}, which allows access to too many users; set it to 0400, 0440 or 0600.`,
    );
  }
  const privateKey = privateKeyIn(await readFile(file, "utf8"));
  if (privateKey?.asymmetricKeyType !== "ed25519")
    throw new Error(
      `${file} must contain an Ed25519 private key in PEM, as \`openssl genpkey -algorithm ed25519\` creates it.`,
    );
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: "spki", format: "der" });
  const kid = createHash("sha256").update(der).digest("base64url").slice(0, 16);
  return { kid, privateKey, publicKey };
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
