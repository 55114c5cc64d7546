/** The public halves of a gateway key. */
export interface GatewayPublicKey {
  readonly version: number;
  /** The RSA public key (SubjectPublicKeyInfo), for merchants. */
  readonly publicKey: Uint8Array;
  /** The Ed25519 public key, for providers whose own key is Ed25519; older versions of the gateway key have none. */
  readonly ed25519PublicKey?: Uint8Array | undefined;
  readonly createdAt: Date;
}

/** A public key as PEM (SubjectPublicKeyInfo). */
export function formatPublicKeyPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PUBLIC KEY-----", ...lines, "-----END PUBLIC KEY-----", ""].join("\n");
}
