import { sign, type KeyObject } from "node:crypto";

export interface ProviderMessage {
  readonly path: string;
  readonly time: string;
  readonly body: string;
  /** The algorithm in the header; by default that of the key. A test may set a wrong one. */
  readonly algorithm?: string;
}

/**
 * The `signature` header as a provider writes it, by the kind of its key. Independent code, so that it can disagree
 * with ours.
 */
export function providerSignature(key: KeyObject, { path, time, body, algorithm }: ProviderMessage): string {
  const [name, digest] = key.asymmetricKeyType === "ed25519" ? ["Ed25519", null] : ["RSA256", "sha256"];
  const value = sign(digest, Buffer.from(`POST ${path}\ntollgate.${time}.${body}`), key).toString("base64");
  return `algorithm=${algorithm ?? name},keyVersion=1,signature=${encodeURIComponent(value)}`;
}
