/** The public halves of a gateway key. */
export interface GatewayPublicKey {
  readonly version: number;
  /** SubjectPublicKeyInfo of the RSA key, for merchants. */
  readonly publicKey: Uint8Array;
  /** For providers whose own key is Ed25519; absent in older versions. */
  readonly ed25519PublicKey?: Uint8Array | undefined;
  readonly createdAt: Date;
}

/** A public key as PEM (SubjectPublicKeyInfo). */
export function publicKeyPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PUBLIC KEY-----", ...lines, "-----END PUBLIC KEY-----", ""].join("\n");
}
