import { sign, type KeyObject } from "node:crypto";

export interface WalletMessage {
  readonly path: string;
  readonly time: string;
  readonly body: string;
  /** What the header says; that of the key, unless a test wants to deceive. */
  readonly algorithm?: string;
}

/** The header `signature` as a wallet writes it, by the kind of its key; in code of its own, so that it can disagree. */
export function walletSignature(key: KeyObject, { path, time, body, algorithm }: WalletMessage): string {
  const [name, digest] = key.asymmetricKeyType === "ed25519" ? ["Ed25519", null] : ["RSA256", "sha256"];
  const value = sign(digest, Buffer.from(`POST ${path}\ntollgate.${time}.${body}`), key).toString("base64");
  return `algorithm=${algorithm ?? name},keyVersion=1,signature=${encodeURIComponent(value)}`;
}
