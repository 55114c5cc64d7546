import { execFileSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";

/**
 * Sets up a sandbox to try Tollgate: the gateway's key, a sandbox provider and a first merchant. It runs in the image, as the
 * owner, before the provider starts. A second run changes nothing. It writes keys and settings of provider and merchant to /try.
 */
const folder = "/try";

if (!existsSync(`${folder}/merchant.env`)) setUp();
process.stdout.write("Set up a sandbox provider and a merchant.\n");

function setUp(): void {
  runTollgate("migrate", "--wait", "120");
  const keys = JSON.parse(runTollgate("gateway-key", "list", "--json")) as readonly object[];
  if (keys.length === 0) runTollgate("gateway-key", "add");
  write("gateway-public.pem", runTollgate("gateway-key", "show", "--algorithm", "Ed25519"));
  mkdirSync(`${folder}/provider`, { recursive: true, mode: 0o700 });
  const publicKeyFile = writeKeyPair("provider/provider", generateKeyPairSync("ed25519"));
  const connectorOptions = ["--partner-id", "tollgate", "--public-key", publicKeyFile, "--simulator"];
  // The provider starts after this program, so it cannot be asked for its facts yet.
  runTollgate(
    "connector",
    "add",
    "--name",
    "try-provider",
    "--url",
    setting("TRY_WALLET_URL"),
    "--without-facts",
    ...connectorOptions,
  );
  addMerchant();
}

/** Writes the settings of the merchant's programs to one file, last, because its existence marks a complete set-up. */
function addMerchant(): void {
  const publicKeyFile = writeKeyPair("merchant", generateKeyPairSync("rsa", { modulusLength: 2048 }));
  const words = ["--name", "First Shop", "--public-key", publicKeyFile, "--json"];
  const { clientId, keyVersion, gatewayPublicKey } = JSON.parse(runTollgate("merchant", "add", ...words)) as {
    readonly clientId: string;
    readonly keyVersion: number;
    readonly gatewayPublicKey: string;
  };
  const variables = {
    TOLLGATE_BASE_URL: setting("TRY_GATEWAY_URL"),
    TOLLGATE_CLIENT_ID: clientId,
    TOLLGATE_KEY_VERSION: keyVersion,
    TOLLGATE_PRIVATE_KEY_FILE: `${folder}/merchant-private.pem`,
    TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: write("gateway-for-merchant.pem", gatewayPublicKey),
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  write("merchant.env", lines.join(""));
}

/** Runs a gateway command, and returns its output. */
function runTollgate(...words: readonly string[]): string {
  return execFileSync(process.execPath, ["/opt/tollgate/tollgate.cjs", ...words], { encoding: "utf8" });
}

/** `writeKeyPair` writes both halves of a key pair to files, and returns the path of the public one. */
function writeKeyPair(name: string, pair: Readonly<Record<"privateKey" | "publicKey", KeyObject>>): string {
  write(`${name}-private.pem`, pair.privateKey.export({ format: "pem", type: "pkcs8" }));
  return write(`${name}-public.pem`, pair.publicKey.export({ format: "pem", type: "spki" }));
}

/** Writes the file atomically. */
function write(name: string, text: string | Buffer): string {
  const file = `${folder}/${name}`;
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}
