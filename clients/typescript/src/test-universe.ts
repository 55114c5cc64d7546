import { generateKeyPair } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A sandbox that others use as well, and the secret that opens it to tests. */
export interface SharedTollgate {
  readonly baseUrl: string;
  readonly controlSecret: string;
  /** How the wallet is reached from here, if not as the gateway reaches it. */
  readonly walletUrl?: string | undefined;
}

/** All that a test run needs to call the gateway as a merchant that nobody else is. */
export interface TestUniverse {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly merchantPrivateKeyFile: string;
  readonly gatewayPublicKeyFile: string;
  readonly walletUrl: string;
  /** Closes it for good, and deletes its keys. */
  close(): Promise<void>;
}

interface Opened {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly gatewayPublicKey: string;
  readonly walletUrl?: string;
}

/** Opens a universe, so that test runs that share a gateway do not see each other. Undefined if nobody listens there. */
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
    throw new Error(`The Tollgate at ${shared.baseUrl} opens no universe for these tests: ${text}`);
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
      // A failure is passed over: with its gateway the universe is gone, and otherwise it closes by itself.
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
