/** The public halves of a gateway key. */
export interface GatewayPublicKey {
  readonly version: number;
  /** SubjectPublicKeyInfo; RSA, as merchants have it. */
  readonly publicKey: Uint8Array;
  /** For wallets whose own key is Ed25519; absent in versions of before. */
  readonly ed25519PublicKey?: Uint8Array | undefined;
  readonly createdAt: Date;
}

/** A public key as programs read it: SubjectPublicKeyInfo in PEM. */
export function publicKeyPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PUBLIC KEY-----", ...lines, "-----END PUBLIC KEY-----", ""].join("\n");
}
