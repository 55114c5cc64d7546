import { parseArgs } from "node:util";
import { openApi } from "./api/openapi.ts";
import { operations } from "./api/operations.ts";
import { rebuildAllBalances } from "./commands/balances.ts";
import { isCommand, usage, type CommandName } from "./commands/command.ts";
import { addGatewayKey } from "./commands/gateway-key.ts";
import { generate } from "./commands/generate.ts";
import { match, matchJson, matchTable } from "./commands/match.ts";
import {
  addMerchant,
  addMerchantKey,
  revokeMerchantKey,
  setLinkSchemes,
  useMerchantGatewayKey,
} from "./commands/merchant.ts";
import { showMerchantKeys } from "./commands/merchant-keys.ts";
import { addConnector, useConnectorKey } from "./commands/connector.ts";
import { keepRequestLog } from "./commands/request-log.ts";
import { serve } from "./commands/serve.ts";
import { readSettings } from "./commands/settings.ts";
import { importSettlement } from "./commands/settlement.ts";
import { showStuck } from "./commands/stuck.ts";
import { work, workKinds } from "./commands/work.ts";
import { migrate, type Environment } from "./postgres/migrate.ts";

const { values: options, positionals } = orLeave(() =>
  parseArgs({
    allowPositionals: true,
    options: {
      environment: { type: "string" },
      name: { type: "string" },
      "public-key": { type: "string" },
      proof: { type: "string" },
      "client-id": { type: "string" },
      version: { type: "string" },
      url: { type: "string" },
      "partner-id": { type: "string" },
      methods: { type: "string", default: "*" },
      simulator: { type: "boolean", default: false },
      "demands-registration": { type: "boolean", default: false },
      currencies: { type: "string" },
      connector: { type: "string" },
      file: { type: "string" },
      until: { type: "string" },
      days: { type: "string" },
      schemes: { type: "string", default: "" },
      only: { type: "string" },
      json: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  }),
);

const settings = orLeave(() =>
  readSettings({
    ...process.env,
    ...(options.environment && { TOLLGATE_ENVIRONMENT: options.environment }),
  }),
);

const runs: Readonly<Record<CommandName, () => Promise<void>>> = {
  serve: async () => {
    const serving = await serve(settings);
    await untilTold(`Tollgate serves ${settings.environment} at ${serving.url}`, serving);
  },
  work: async () => {
    const only = workKinds.find((kind) => kind === options.only);
    if (options.only !== undefined && !only) throw new Error(`--only is ${workKinds.join(" or ")}.`);
    const working = await work(settings, { ...(only && { only }) });
    await untilTold(`Tollgate works for ${settings.environment}`, working);
  },
  migrate: migrateDatabase,
  "gateway-key add": async () => {
    const version = await addGatewayKey(settings.ownerDatabaseUrl, settings.environment, settings.keyFile);
    print(`gateway key version ${version}`);
  },
  "merchant add": async () => {
    const added = await addMerchant(operator(), options.name ?? "A merchant", keyFiles());
    if (options.json) return print(JSON.stringify(added));
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
    await revokeMerchantKey(operator(), required("client-id"), keyVersion());
    print("revoked");
  },
  "merchant keys": async () => print(await showMerchantKeys(operator(), required("client-id"))),
  "merchant gateway-key": async () => {
    await useMerchantGatewayKey(operator(), required("client-id"), keyVersion());
    print("moved");
  },
  "merchant link-schemes": async () => {
    await setLinkSchemes(operator(), required("client-id"), options.schemes.split(",").filter(Boolean));
    print("set");
  },
  "connector add": async () => {
    await addConnector(settings.ownerDatabaseUrl, settings.environment, {
      name: required("name"),
      url: required("url"),
      partnerId: required("partner-id"),
      publicKeyFile: required("public-key"),
      paymentMethodTypes: options.methods.split(","),
      simulator: options.simulator,
      terms: {
        demandsRegistration: options["demands-registration"],
        currencies: options.currencies?.split(",") ?? [],
      },
    });
    print("added");
  },
  "connector gateway-key": async () => {
    const moved = { name: required("name"), version: keyVersion() };
    await useConnectorKey(settings.ownerDatabaseUrl, settings.environment, moved);
    print("moved");
  },
  "request-log keep": async () => {
    await keepRequestLog(operator(), Number(required("days")));
    print("kept");
  },
  stuck: async () => {
    const { table, stuckCount } = await showStuck(settings.ownerDatabaseUrl, settings.environment);
    print(table);
    if (stuckCount > 0) process.exitCode = 1;
  },
  "settlement import": async () => {
    const given = { connector: required("connector"), file: required("file") };
    const { rowCount, imported } = await importSettlement(operator(), given);
    if (!imported)
      return print(`${rowCount} rows; the same file was imported before, and nothing has changed`);
    print(
      `${rowCount} rows, ${imported.newCount} of them new, ${imported.repeatCount} that say something else`,
    );
  },
  match: async () => {
    const matched = await match(operator(), { connector: options.connector, until: options.until });
    print(options.json ? matchJson(matched) : matchTable(matched));
    if (matched.breaks.length > 0) process.exitCode = 1;
  },
  "balances rebuild": async () =>
    print(await rebuildAllBalances(settings.ownerDatabaseUrl, settings.environment)),
  generate: async () => {
    const changed = await generate(options.check);
    if (options.check && changed.length > 0)
      throw new Error(`Out of date, run npm run generate: ${changed.join(", ")}`);
    print(changed.length === 0 ? "up to date" : changed.join("\n"));
  },
  openapi: async () => print(JSON.stringify(openApi(operations), undefined, 2)),
};

try {
  const command = positionals.join(" ");
  if (!isCommand(command) || options.help) {
    process.stderr.write(usage());
    process.exitCode = options.help ? 0 : 2;
  } else {
    await runs[command]();
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

function orLeave<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    return process.exit(2);
  }
}

/** Error message for an operator: what went wrong and why, without the stack trace. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // When no address of a host answers, Node throws an AggregateError without a message of its own.
  if (error instanceof AggregateError && !error.message) return error.errors.map(explain).join(" ");
  return error.cause === undefined ? error.message : `${error.message} ${explain(error.cause)}`;
}

async function untilTold(ready: string, running: { stop(): Promise<void> }): Promise<void> {
  process.stderr.write(`${ready}\n`);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve(name));
  });
  process.stderr.write(`${signal}: bringing what was begun to its end, then leaving.\n`);
  await running.stop();
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

function keyVersion(): number {
  const version = Number(required("version"));
  if (!Number.isInteger(version)) throw new Error("--version has to be a whole number.");
  return version;
}

type Required =
  | "public-key"
  | "client-id"
  | "version"
  | "name"
  | "url"
  | "partner-id"
  | "connector"
  | "file"
  | "days";

function required(name: Required): string {
  const value = options[name];
  if (!value) throw new Error(`Give --${name}.`);
  return value;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
