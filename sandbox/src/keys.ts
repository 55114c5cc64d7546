import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signatureHolds, signatureInBackground, type Message } from "../../clients/typescript/src/signing.ts";

/**
 * The version of the wallet's only key; the operator gives the public key to the gateway when they add the connector.
 */
const keyVersion = 1;

/** The gateway that uses this wallet, and the keys of both. */
export interface Partner {
  readonly partnerId: string;
  readonly keys: Keys;
}

/** Signs the wallet's messages, and verifies the gateway's. */
export interface Keys {
  readonly publicKeyFile: string;
  sign(message: Message): Promise<string>;
  isFromGateway(message: Message, header: string): boolean;
  /** Derives a secret from the wallet's key (HMAC), always the same for one name. */
  secretFor(name: string): string;
}

/** The wallet's signature algorithm. Ed25519 is faster for both sides; RSA is for a gateway that supports only RSA. */
export type Algorithm = "Ed25519" | "RSA256";

/** Loads the wallet's key pair, or generates it at the first start. */
export function openKeys(folder: string, gatewayKeyFile: string, algorithm: Algorithm): Keys {
  const privateKeyFile = join(folder, "wallet-private.pem");
  const publicKeyFile = join(folder, "wallet-public.pem");
  if (!existsSync(privateKeyFile)) {
    const { privateKey } =
      algorithm === "Ed25519"
        ? generateKeyPairSync("ed25519")
        : generateKeyPairSync("rsa", { modulusLength: 2048 });
    // Atomic rename: the next start must never find a half-written key.
    const pem = privateKey.export({ format: "pem", type: "pkcs8" });
    writeFileSync(`${privateKeyFile}.new`, pem, { mode: 0o600, flush: true });
    renameSync(`${privateKeyFile}.new`, privateKeyFile);
  }
  const privateKey = createPrivateKey(readFileSync(privateKeyFile));
  writeFileSync(publicKeyFile, createPublicKey(privateKey).export({ format: "pem", type: "spki" }));

  const secret = privateKey.export({ format: "der", type: "pkcs8" });
  let gatewayKeys = readPublicKeys(gatewayKeyFile);
  const isValidForAnyKey = (message: Message, header: string): boolean =>
    gatewayKeys.some((key) => signatureHolds(message, header, key));
  return {
    publicKeyFile,
    sign: (message) => signatureInBackground(message, privateKey, keyVersion),
    isFromGateway(message, header) {
      if (isValidForAnyKey(message, header)) return true;
      // The key file is read again, because the operator may have put a new key of the gateway into it (key rotation).
      gatewayKeys = readPublicKeys(gatewayKeyFile);
      return isValidForAnyKey(message, header);
    },
    secretFor: (name) => createHmac("sha256", secret).update(name).digest("base64url"),
  };
}

/** Reads the public keys in a file: usually one key, and several during a key rotation of the gateway. */
function readPublicKeys(file: string): readonly KeyObject[] {
  const blocks = readFileSync(file, "utf8").match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  if (blocks.length === 0) throw new Error(`${file} contains no public key in PEM form.`);
  return blocks.map((block) => createPublicKey(block));
}
