import { parseArgs } from "node:util";
import { openApi } from "./api/openapi.ts";
import { operations } from "./api/operations.ts";
import { addGatewayKey } from "./commands/gateway-key.ts";
import { generate } from "./commands/generate.ts";
import { addMerchant, addMerchantKey, revokeMerchantKey } from "./commands/merchant.ts";
import { serve } from "./commands/serve.ts";
import { readSettings } from "./commands/settings.ts";
import { migrate, type Environment } from "./postgres/migrate.ts";

const usage = `Tollgate, an open payment gateway.

  serve                                       answer merchants
  migrate                                     bring the database up to date
  gateway-key add                             make the gateway's next key pair
  merchant add --public-key FILE [--name N] [--proof FILE]
  merchant key add --client-id ID --public-key FILE [--proof FILE]
  merchant key revoke --client-id ID --version N
  openapi                                     print the OpenAPI document
  generate [--check]                          write what is derived from the code

Options: --environment sandbox|live (or TOLLGATE_ENVIRONMENT). Settings come from the environment
variables of docs/operating/settings.md.
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    environment: { type: "string" },
    name: { type: "string" },
    "public-key": { type: "string" },
    proof: { type: "string" },
    "client-id": { type: "string" },
    version: { type: "string" },
    check: { type: "boolean", default: false },
    help: { type: "boolean", short: "h" },
  },
});

const settings = readSettings({
  ...process.env,
  ...(options.environment && { TOLLGATE_ENVIRONMENT: options.environment }),
});

const commands: Readonly<Record<string, () => Promise<void>>> = {
  serve: serveUntilTold,
  migrate: migrateDatabase,
  "gateway-key add": async () => {
    const version = await addGatewayKey(settings.ownerDatabaseUrl, settings.environment, settings.keyFile);
    print(`gateway key version ${version}`);
  },
  "merchant add": async () => {
    const added = await addMerchant(operator(), options.name ?? "A merchant", keyFiles());
    print(added.clientId);
    process.stderr.write(
      `Sign with key version ${added.keyVersion}. Our answers carry key version ${added.gatewayKeyVersion}; ` +
        `verify them with:\n${added.gatewayPublicKey}`,
    );
  },
  "merchant key add": async () => {
    print(`key version ${await addMerchantKey(operator(), required("client-id"), keyFiles())}`);
  },
  "merchant key revoke": async () => {
    await revokeMerchantKey(operator(), required("client-id"), Number(required("version")));
    print("revoked");
  },
  generate: async () => {
    const changed = await generate(options.check);
    if (options.check && changed.length > 0)
      throw new Error(`Out of date, run npm run generate: ${changed.join(", ")}`);
    print(changed.length === 0 ? "up to date" : changed.join("\n"));
  },
  openapi: async () => print(JSON.stringify(openApi(operations), undefined, 2)),
};

try {
  const command = commands[positionals.join(" ")];
  if (!command || options.help) {
    process.stderr.write(usage);
    process.exitCode = options.help ? 0 : 2;
  } else {
    await command();
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function serveUntilTold(): Promise<void> {
  const serving = await serve(settings);
  process.stderr.write(`Tollgate serves ${settings.environment} at ${serving.url}\n`);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve(name));
  });
  process.stderr.write(`${signal}: answering what has arrived, then leaving.\n`);
  await serving.stop();
}

async function migrateDatabase(): Promise<void> {
  const applied = await migrate(settings.ownerDatabaseUrl, settings.environment);
  print(applied.length === 0 ? "up to date" : applied.join("\n"));
}

function operator(): { readonly url: string; readonly environment: Environment } {
  return { url: settings.ownerDatabaseUrl, environment: settings.environment };
}

function keyFiles(): { readonly publicKeyFile: string; readonly proofFile: string | undefined } {
  return { publicKeyFile: required("public-key"), proofFile: options.proof };
}

function required(name: "public-key" | "client-id" | "version"): string {
  const value = options[name];
  if (!value) throw new Error(`Give --${name}.`);
  return value;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
