/** The public half of a gateway key pair. */
export interface GatewayPublicKey {
  readonly version: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
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
