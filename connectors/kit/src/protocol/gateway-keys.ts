import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  signatureHolds,
  signatureInBackground,
  type Message,
} from "../../../../clients/typescript/src/signing.ts";

/** Signs the connector's messages, and verifies the gateway's. */
export interface GatewayKeys {
  readonly partnerId: string;
  sign(message: Message): Promise<string>;
  isFromGateway(message: Message, signature: string): boolean;
}

export interface GatewayKeyFiles {
  readonly partnerId: string;
  /** The connector's own private key, PKCS#8 in PEM. */
  readonly privateKeyFile: string;
  readonly keyVersion: number;
  /** The gateway's public key in PEM; several during a key rotation of the gateway. */
  readonly gatewayPublicKeyFile: string;
}

export function readGatewayKeys(files: GatewayKeyFiles): GatewayKeys {
  const privateKey = createPrivateKey(readFileSync(files.privateKeyFile));
  let gatewayKeys = readPublicKeys(files.gatewayPublicKeyFile);
  const isValidForAnyKey = (message: Message, signature: string): boolean =>
    gatewayKeys.some((key) => signatureHolds(message, signature, key));
  return {
    partnerId: files.partnerId,
    sign: (message) => signatureInBackground(message, privateKey, files.keyVersion),
    isFromGateway(message, signature) {
      if (isValidForAnyKey(message, signature)) return true;
      // Key rotation: the operator may have added the gateway's new key to the file.
      gatewayKeys = readPublicKeys(files.gatewayPublicKeyFile);
      return isValidForAnyKey(message, signature);
    },
  };
}

function readPublicKeys(file: string): readonly KeyObject[] {
  const blocks = readFileSync(file, "utf8").match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  if (blocks.length === 0) throw new Error(`${file} contains no public key in PEM.`);
  return blocks.map((block) => createPublicKey(block));
}
