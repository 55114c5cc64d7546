import { createHash, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import type { TestMerchant } from "./test-gateway.ts";

/** A key pair as the portal's page creates it with WebCrypto: only signatures of the private half leave the page. */
export interface BrowserKey {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
  /** Signs the proof of possession. This code creates the signed text independently of the page's code. */
  proofFor(environment: string, clientId: string): Promise<string>;
}

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

export async function newBrowserKey(modulusLength = 2048): Promise<BrowserKey> {
  const { subtle } = webcrypto;
  const shape = { ...algorithm, modulusLength, publicExponent: new Uint8Array([1, 0, 1]) };
  const pair = await subtle.generateKey(shape, true, ["sign", "verify"]);
  const spki = Buffer.from(await subtle.exportKey("spki", pair.publicKey));
  const digest = createHash("sha256").update(spki).digest("hex");
  return {
    privateKey: KeyObject.from(pair.privateKey),
    publicKey: spki.toString("base64"),
    async proofFor(environment, clientId) {
      const text = `I hold the private key. ${environment} ${clientId} sha256:${digest}`;
      const signature = await subtle.sign(algorithm, pair.privateKey, Buffer.from(text));
      return Buffer.from(signature).toString("base64");
    },
  };
}

/** The merchant's system with the key that was created in the browser. */
export function merchantWithKey(
  { privateKey }: BrowserKey,
  opened: { readonly clientId: string; readonly keyVersion: number; readonly gatewayPublicKey: string },
): TestMerchant {
  const gatewayPublicKey = createPublicKey(opened.gatewayPublicKey);
  return { ...opened, privateKey, publicKeyFile: "", gatewayPublicKey };
}
