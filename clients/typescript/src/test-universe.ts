import { generateKeyPair } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A shared sandbox, and the secret for its test API. */
export interface SharedTollgate {
  readonly baseUrl: string;
  readonly controlSecret: string;
  /** The URL of the sandbox provider from this machine, if it differs from the gateway's. */
  readonly walletUrl?: string | undefined;
}

/** The settings with which a test run calls the gateway as an isolated test merchant. */
export interface TestUniverse {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly merchantPrivateKeyFile: string;
  readonly gatewayPublicKeyFile: string;
  readonly walletUrl: string;
  /** Deletes the test merchant and its keys. */
  close(): Promise<void>;
}

interface Opened {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly gatewayPublicKey: string;
  readonly walletUrl?: string;
}

/**
 * Creates an isolated test merchant, so that test runs that share a gateway do not affect each other. Returns
 * undefined if no gateway listens at its address.
 */
export async function openUniverse(shared: SharedTollgate): Promise<TestUniverse | undefined> {
  const keys = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const body = JSON.stringify({ publicKey: keys.publicKey });
  const response = await ask(shared, "POST", "", body).catch(() => undefined);
  if (!response) return undefined;
  const text = await response.text();
  if (!response.ok)
    throw new Error(`The Tollgate at ${shared.baseUrl} created no isolated test merchant: ${text}`);
  const { clientId, keyVersion, gatewayPublicKey, walletUrl = "" } = JSON.parse(text) as Opened;
  const folder = await mkdtemp(join(tmpdir(), "tollgate-universe-"));
  const merchantPrivateKeyFile = join(folder, "merchant-private.pem");
  const gatewayPublicKeyFile = join(folder, "gateway-public.pem");
  await writeFile(merchantPrivateKeyFile, keys.privateKey, { mode: 0o600 });
  await writeFile(gatewayPublicKeyFile, gatewayPublicKey);
  return {
    clientId,
    keyVersion,
    merchantPrivateKeyFile,
    gatewayPublicKeyFile,
    walletUrl: shared.walletUrl ?? walletUrl,
    async close() {
      // Errors are ignored: the test merchant is gone with its gateway, or expires by itself.
      await ask(shared, "DELETE", `/${clientId}`).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function ask(
  { baseUrl, controlSecret }: SharedTollgate,
  method: "POST" | "DELETE",
  path: string,
  body?: string,
): Promise<Response> {
  return fetch(`${baseUrl.replace(/\/$/, "")}/sandbox/universes${path}`, {
    method,
    headers: {
      authorization: `Bearer ${controlSecret}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
}
