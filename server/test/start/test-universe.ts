import { createPublicKey, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { asSuperuser, type TestDatabase } from "./test-database.ts";
import { newKeyPair, type TestKeyPair, type TestMerchant } from "./test-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-test-control-"));
after(() => rmSync(folder, { recursive: true, force: true }));

export const controlSecret = randomBytes(32).toString("hex");
const controlSecretFile = join(folder, "control-secret");
writeFileSync(controlSecretFile, `${controlSecret}\n`, { mode: 0o600 });

/** Environment variables of a process that may open isolated test merchants. */
export const controlVariables = { TOLLGATE_CONTROL_SECRET_FILE: controlSecretFile };

export interface ControlAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Readonly<Record<string, unknown>> & { readonly problem?: string };
}

/** Sends a control request with the control secret, or with the given authorization value. */
export async function sendControlRequest(
  url: string,
  { method = "POST", path = "", body, secret = `Bearer ${controlSecret}` }: ControlCall,
): Promise<ControlAnswer> {
  const response = await fetch(`${url}/sandbox/universes${path}`, {
    method,
    headers: { authorization: secret, "content-type": "application/json" },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: JSON.parse(text) as ControlAnswer["json"],
  };
}

export interface ControlCall {
  readonly method?: string;
  readonly path?: string;
  readonly body?: object | string;
  readonly secret?: string;
}

let pair: Promise<TestKeyPair> | undefined;

/**
 * Returns the public key of all isolated test merchants. They share one key pair, because generating one takes longer
 * than opening a merchant.
 */
export async function publicKeyText(): Promise<string> {
  pair ??= newKeyPair("universe");
  return readFileSync((await pair).publicKeyFile, "utf8");
}

/** Opens an isolated test merchant, and returns it like any other merchant. */
export async function openUniverse(url: string, more: object = {}): Promise<TestMerchant> {
  const { status, json } = await sendControlRequest(url, {
    body: { publicKey: await publicKeyText(), ...more },
  });
  if (status !== 201) throw new Error(`${status} ${json.problem}`);
  const { privateKey, publicKeyFile } = await (pair ?? newKeyPair("universe"));
  return {
    clientId: String(json["clientId"]),
    keyVersion: Number(json["keyVersion"]),
    privateKey,
    publicKeyFile,
    gatewayPublicKey: createPublicKey(String(json["gatewayPublicKey"])),
  };
}

export function closeUniverse(
  url: string,
  { clientId }: Pick<TestMerchant, "clientId">,
): Promise<ControlAnswer> {
  return sendControlRequest(url, { method: "DELETE", path: `/${clientId}` });
}

/** The number of rows of a client in each table with a client column; tables without rows are left out. */
export async function rowCountsOf(
  { superuserUrl }: TestDatabase,
  clientIds: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const tables = await asSuperuser<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition order by 1`,
    [],
    superuserUrl,
  );
  const counts = tables.map(
    ({ name }) => `select '${name}' as name, count(*)::int as count from ${name} where client_id = any ($1)`,
  );
  const rows = await asSuperuser<{ name: string; count: number }>(
    counts.join(" union all "),
    [clientIds],
    superuserUrl,
  );
  return Object.fromEntries(rows.flatMap(({ name, count }) => (count > 0 ? [[name, count]] : [])));
}
