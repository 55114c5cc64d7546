import { generateKeyPair, generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The paths of the files in a data folder. */
export interface DataFiles {
  /** The key with which the gateway's private keys are encrypted. */
  readonly keyFile: string;
  readonly merchantPrivateKeyFile: string;
  readonly merchantPublicKeyFile: string;
  readonly gatewayPublicKeyFile: string;
  readonly walletFolder: string;
  readonly walletPublicKeyFile: string;
  /** The key with which the provider verifies the gateway's messages. */
  readonly walletGatewayKeyFile: string;
  readonly controlSecretFile: string;
  readonly effectsFile: string;
  /** The key with which accounts signs people's tokens, and with which the gateway verifies them. */
  readonly tokenKeyFile: string;
  readonly tokenPublicKeyFile: string;
  /** The secret of the link that signs the developer in to the portal. */
  readonly portalSecretFile: string;
  /** The emails that accounts would send. */
  readonly mailFolder: string;
  /** The demo shop's database. */
  readonly shopFile: string;
  /** The sales of the demo point of sale. */
  readonly tillFile: string;
}

export function dataFilesIn(folder: string): DataFiles {
  const walletFolder = join(folder, "wallet");
  return {
    keyFile: join(folder, "key"),
    merchantPrivateKeyFile: join(folder, "merchant-private.pem"),
    merchantPublicKeyFile: join(folder, "merchant-public.pem"),
    gatewayPublicKeyFile: join(folder, "gateway-public.pem"),
    walletFolder,
    walletPublicKeyFile: join(walletFolder, "wallet-public.pem"),
    walletGatewayKeyFile: join(walletFolder, "gateway-public.pem"),
    controlSecretFile: join(folder, "control-secret"),
    effectsFile: join(walletFolder, "effects.jsonl"),
    tokenKeyFile: join(folder, "token-private.pem"),
    tokenPublicKeyFile: join(folder, "token-public.pem"),
    portalSecretFile: join(folder, "portal-secret"),
    mailFolder: join(folder, "mail"),
    shopFile: join(folder, "shop.sqlite"),
    tillFile: join(folder, "till-sales.jsonl"),
  };
}

/** Creates the secrets of a new folder. The provider's key pair is among them, so the provider creates none. */
export async function createSecrets(files: DataFiles): Promise<void> {
  if (existsSync(files.controlSecretFile)) return;
  await mkdir(files.walletFolder, { recursive: true, mode: 0o700 });
  const walletPrivateKeyFile = join(files.walletFolder, "wallet-private.pem");
  await Promise.all([
    createRsaKeyPair(files.merchantPrivateKeyFile, files.merchantPublicKeyFile),
    writeKeyPair(generateKeyPairSync("ed25519"), walletPrivateKeyFile, files.walletPublicKeyFile),
    writeKeyPair(generateKeyPairSync("ed25519"), files.tokenKeyFile, files.tokenPublicKeyFile),
    writeFile(files.portalSecretFile, randomBytes(32).toString("base64url"), { mode: 0o600 }),
    writeFile(files.keyFile, randomBytes(32).toString("base64"), { mode: 0o400 }),
  ]);
  await writeFile(files.controlSecretFile, randomBytes(32).toString("base64url"), { mode: 0o600 });
}

async function createRsaKeyPair(privateKeyFile: string, publicKeyFile: string): Promise<void> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  await writeKeyPair(pair, privateKeyFile, publicKeyFile);
}

async function writeKeyPair(
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  privateKeyFile: string,
  publicKeyFile: string,
): Promise<void> {
  await writeFile(privateKeyFile, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  await writeFile(publicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
}
