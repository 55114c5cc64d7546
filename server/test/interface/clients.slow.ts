import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { asSuperuser } from "../start/test-database.ts";
import { newMerchant, startTestGateway } from "../start/test-gateway.ts";
import { insertTestPayment } from "../shop/test-payment.ts";
import { eventually } from "../start/test-process.ts";

/** Statements of docs/interface.md about client libraries: a program in each language inquires a payment. */
const root = join(import.meta.dirname, "../../..");
const programs = join(import.meta.dirname, "client-programs");
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "tollgate-clients-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database);
const { paymentId } = await insertTestPayment(gateway.database, merchant.clientId);
const sources = globSync("clients/java/src/main/java/**/*.java", { cwd: root }).filter(
  (path) => !path.endsWith("module-info.java"),
);
await run("javac", ["-proc:none", "-d", folder, ...sources, join(programs, "Inquire.java")], { cwd: root });

const python = process.env["PYTHON"] ?? "python3";
const commands: Readonly<Record<string, readonly [program: string, ...string[]]>> = {
  Java: ["java", "-cp", folder, "Inquire"],
  PHP: ["php", join(programs, "inquire.php")],
  Python: [python, join(programs, "inquire.py")],
};

interface Keys {
  readonly privateKey?: KeyObject;
  readonly gatewayPublicKey?: KeyObject;
}

/** The program's output, or its error output if it failed. */
async function inquire(language: string, { privateKey, gatewayPublicKey }: Keys = {}): Promise<string> {
  const [program = "", ...programArguments] = commands[language] ?? [];
  const env = {
    ...process.env,
    PYTHONPATH: join(root, "clients/python/src"),
    TOLLGATE_BASE_URL: gateway.url,
    TOLLGATE_CLIENT_ID: merchant.clientId,
    TOLLGATE_PRIVATE_KEY: pem(privateKey ?? merchant.privateKey, "pkcs8"),
    TOLLGATE_GATEWAY_PUBLIC_KEY: pem(gatewayPublicKey ?? merchant.gatewayPublicKey, "spki"),
  };
  return run(program, [...programArguments, paymentId], { env, timeout: 60_000 }).then(
    ({ stdout }) => stdout.trim(),
    (error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr,
  );
}

function pem(key: KeyObject, type: "pkcs8" | "spki"): string {
  return String(key.export({ format: "pem", type } as { format: "pem"; type: "spki" }));
}

const otherKey = generateKeyPairSync("rsa", { modulusLength: 2048 });
const numbers: Readonly<Record<string, string>> = { Java: "1.22", PHP: "1.23", Python: "1.24" };

for (const [language, number] of Object.entries(numbers)) {
  test(`${number} there is a client library for ${language}`, async () => {
    assert.equal(await inquire(language), "SUCCESS");
  });

  test(`1.25 the library for ${language} assembles the request, and 1.27 sends it`, async () => {
    const before = await loggedRequests();
    await inquire(language);
    const logged = await eventually(5_000, loggedRequests, (all) => all.length > before.length);
    assert.deepEqual(JSON.parse(logged.at(-1) ?? "{}"), { paymentId });
  });

  test(`1.26 the library for ${language} signs the request with the merchant's key, and no other key is accepted`, async () => {
    assert.match(await inquire(language, { privateKey: otherKey.privateKey }), /INVALID_SIGNATURE/);
  });

  test(`1.28 the library for ${language} rejects a response with another party's signature`, async () => {
    const output = await inquire(language, { gatewayPublicKey: otherKey.publicKey });
    assert.match(output, /SignatureVerification/);
    assert.doesNotMatch(output, /^SUCCESS$/m);
  });
}

async function loggedRequests(): Promise<readonly string[]> {
  const rows = await asSuperuser<{ body: string }>(
    "select request_body as body from request_log order by at",
    [],
    gateway.database.superuserUrl,
  );
  return rows.map(({ body }) => body);
}
