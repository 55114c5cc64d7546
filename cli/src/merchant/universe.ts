import { generateKeyPair, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { findRunning } from "../running-file.ts";
import { parseWholeNumber } from "../../../server/src/operators/framework/parse-whole-number.ts";

/** A created isolated test merchant, as the gateway returns it. */
interface CreatedUniverse {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly gatewayPublicKey: string;
  readonly baseUrl: string;
  readonly walletUrl?: string;
  readonly closesAt: string;
}

/** The permitted lifetime in minutes: from one minute to 30 days, the gateway's maximum. */
const minutesRange = [1, 43_200] as const;

/** Creates a key pair, unless a public key is given, and prints the settings of the client libraries. */
export async function openUniverse(args: CommandArguments): Promise<void> {
  const control = await findControl(args.value("folder"));
  const minutes = parseWholeNumber(args, "minutes", minutesRange);
  const file = args.value("public-key");
  const keyPair =
    file === undefined ? await promisify(generateKeyPair)("rsa", { modulusLength: 2048 }) : undefined;
  const publicKey =
    file === undefined ? exportBase64(keyPair?.publicKey, "spki") : await readFile(file, "utf8");
  const name = args.value("name");
  const universe = await callUniverseApi<CreatedUniverse>(control, "POST", "", {
    publicKey,
    ...(name !== undefined && { name }),
    ...(minutes !== undefined && { lifetimeSeconds: minutes * 60 }),
  });
  const privateKey = keyPair && exportBase64(keyPair.privateKey, "pkcs8");
  if (args.has("json")) return print(JSON.stringify({ ...universe, ...(privateKey && { privateKey }) }));
  const variables = {
    TOLLGATE_BASE_URL: universe.baseUrl,
    TOLLGATE_CLIENT_ID: universe.clientId,
    TOLLGATE_KEY_VERSION: String(universe.keyVersion),
    ...(privateKey && { TOLLGATE_PRIVATE_KEY: privateKey }),
    TOLLGATE_GATEWAY_PUBLIC_KEY: universe.gatewayPublicKey.replaceAll(/-----[^-]+-----|\s/g, ""),
    ...(universe.walletUrl && { TOLLGATE_WALLET_URL: universe.walletUrl }),
    TOLLGATE_CONTROL_SECRET: control.secret,
  };
  print(
    [
      `# An isolated test merchant (universe) of the sandbox. It closes at ${universe.closesAt}, or with: tollgate universe close ${universe.clientId}`,
      ...Object.entries(variables).map(([key, value]) => `${key}=${value}`),
    ].join("\n"),
  );
}

/** Base64 on one line instead of PEM, because a .env file has one line for a value. */
function exportBase64(key: KeyObject | undefined, type: "spki" | "pkcs8"): string {
  const der = type === "spki" ? key?.export({ format: "der", type }) : key?.export({ format: "der", type });
  return der?.toString("base64") ?? "";
}

export async function closeUniverse(args: CommandArguments): Promise<void> {
  const control = await findControl(args.value("folder"));
  const [clientId = ""] = args.positionals;
  const closed = await callUniverseApi<{ readonly closedAt: string }>(
    control,
    "DELETE",
    `/${encodeURIComponent(clientId)}`,
  );
  print(args.has("json") ? JSON.stringify(closed) : `closed    ${clientId}`);
}

export async function listUniverses(args: CommandArguments): Promise<void> {
  const control = await findControl(args.value("folder"));
  const { universes } = await callUniverseApi<{ readonly universes: readonly ListedUniverse[] }>(
    control,
    "GET",
    "",
  );
  if (args.has("json")) return print(JSON.stringify({ universes }));
  if (universes.length === 0) return print("none is open");
  print(
    universes.map(({ clientId, name, closesAt }) => `${clientId}  closes ${closesAt}  ${name}`).join("\n"),
  );
}

interface ListedUniverse {
  readonly clientId: string;
  readonly name: string;
  readonly closesAt: string;
}

/** A sandbox's address, and the secret of its control interface. */
interface Control {
  readonly baseUrl: string;
  readonly secret: string;
}

/**
 * Reads TOLLGATE_BASE_URL and TOLLGATE_CONTROL_SECRET, or else the settings of the `tollgate dev` that runs in the
 * folder.
 */
async function findControl(folder = ".tollgate"): Promise<Control> {
  const { TOLLGATE_BASE_URL: baseUrl, TOLLGATE_CONTROL_SECRET: secret } = process.env;
  if (baseUrl && secret) return { baseUrl, secret };
  const running = await findRunning(resolve(folder));
  if (running) return { baseUrl: running.baseUrl, secret: running.controlSecret };
  throw new Error(
    "No sandbox is configured here. Run `tollgate dev` in this folder, in another terminal; or set TOLLGATE_BASE_URL and " +
      "TOLLGATE_CONTROL_SECRET.",
  );
}

async function callUniverseApi<Answer>(
  { baseUrl, secret }: Control,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${baseUrl.replace(/\/$/, "")}/sandbox/universes${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Answer;
  throw new Error(
    readProblem(text) ?? `${baseUrl} answered ${response.status}: is it the sandbox of a Tollgate?`,
  );
}

function readProblem(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly problem?: string }).problem;
  } catch {
    return undefined;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
