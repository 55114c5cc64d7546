import type { Commands, CommandArguments } from "../operators/framework/command.ts";
import { UsageError } from "../core/command-errors.ts";
import { formatError } from "../operators/framework/format-error.ts";
import {
  readActor,
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  settingsOf,
} from "../operators/framework/operator-options.ts";
import { checkSettings, type Settings } from "../settings/settings.ts";
import { printResult } from "../operators/framework/print-result.ts";
import { staffSettingNames } from "../settings/staff-settings.ts";
import { parseWholeNumber } from "../operators/framework/parse-whole-number.ts";
import { sizeThreadPool } from "./thread-pool.ts";

/** Settings of both `serve` and `work`. docs/operating/settings.md lists all settings. */
const gatewaySettings = [
  "environment",
  "databaseUrl",
  "keyFile",
  "databaseConnectionsMax",
  "metrics",
  "publicUrl",
  "egressProxy",
  "egressPorts",
  "allowsLoopbackEgress",
] as const satisfies readonly (keyof Settings)[];
const serveSettings = [
  ...gatewaySettings,
  "port",
  "tls",
  "trustedProxies",
  "requestLogMegabytes",
  "drainSeconds",
  "consoleAudience",
  "consoleOrigins",
] as const;

const serveStaffSettings = [
  "environment",
  "databaseUrl",
  "keyFile",
  "metrics",
  "publicUrl",
  "port",
  "tls",
  "trustedProxies",
  "drainSeconds",
  "consoleAudience",
] as const satisfies readonly (keyof Settings)[];

const settingsHelp =
  "It needs TOLLGATE_ENVIRONMENT, TOLLGATE_DATABASE_URL and TOLLGATE_KEY_FILE; docs/operating/settings.md has all settings.\n" +
  "SIGTERM stops it after open requests and jobs are done; SIGHUP reloads the certificate of `serve`. In live start it with `node --disable-sigusr1`, see docs/operating/install.md.";

const loadGatewayKeyModule = (): Promise<typeof import("../operators/providers/manage-gateway-keys.ts")> =>
  import("../operators/providers/manage-gateway-keys.ts");

/** Commands that run the gateway, and those that prepare it: the database and the gateway's own keys. */
export const processCommands: Commands = {
  serve: {
    summary: "Serve API requests, checkout pages and provider callbacks",
    description: settingsHelp,
    options: operatorOptions,
    examples: ["tollgate serve", "tollgate serve --environment sandbox"],
    run: async (args) => {
      sizeThreadPool();
      const settings = settingsOf(args, serveSettings);
      const { serve } = await import("./serve.ts");
      const server = await serve(settings);
      await runUntilSignal(
        `Tollgate serves ${settings.environment} at ${server.url}${metricsSuffix(server)}`,
        server,
      );
    },
  },
  "serve-staff": {
    summary: "Serve the operator console's API to staff",
    description:
      "It alone holds the login of the operator console. Run it on a network that only staff reach. It needs TOLLGATE_ENVIRONMENT,\n" +
      "TOLLGATE_DATABASE_URL, TOLLGATE_KEY_FILE or TOLLGATE_SIGNER_SOCKET, TOLLGATE_STAFF_DATABASE_URL, TOLLGATE_STAFF_ORIGINS and\n" +
      "TOLLGATE_ACCOUNTS_KEYS_FILE. See docs/operating/console.md. SIGTERM stops it when open requests are answered; SIGHUP reloads its\n" +
      "certificate. In live start it with `node --disable-sigusr1`.",
    options: operatorOptions,
    examples: ["tollgate serve-staff", "tollgate serve-staff --environment sandbox"],
    run: async (args) => {
      sizeThreadPool();
      const settings = settingsOf(args, serveStaffSettings);
      checkSettings(settings.staff, staffSettingNames);
      const { serveStaff } = await import("./serve-staff.ts");
      const server = await serveStaff(settings);
      const { environment } = settings;
      await runUntilSignal(
        `Tollgate serves ${environment} to staff at ${server.url}${metricsSuffix(server)}`,
        server,
      );
    },
  },
  work: {
    summary: "Run due jobs: payment providers, expiries, webhooks",
    description: settingsHelp,
    options: {
      only: {
        value: "WHICH",
        summary: "Run only one kind of job: providers or notifications",
        oneOf: ["providers", "notifications"],
      },
      ...operatorOptions,
    },
    examples: ["tollgate work", "tollgate work --only notifications"],
    run: async (args) => {
      sizeThreadPool();
      const settings = settingsOf(args, gatewaySettings);
      const { work, workKinds } = await import("./work.ts");
      const only = workKinds.find((kind) => kind === args.value("only"));
      const worker = await work(settings, { ...(only && { only }) });
      await runUntilSignal(`Tollgate works for ${settings.environment}${metricsSuffix(worker)}`, worker);
    },
  },
  signer: {
    summary: "Sign for `serve` and `work` of this machine in a separate process",
    description:
      "It listens on the Unix socket in TOLLGATE_SIGNER_SOCKET, mode 0660: processes of its group may have messages signed. `serve` and `work` with that\n" +
      "variable have no private key, and no TOLLGATE_KEY_FILE. It needs that file, TOLLGATE_ENVIRONMENT and TOLLGATE_DATABASE_URL. See docs/operating/signer.md.",
    options: operatorOptions,
    examples: ["tollgate signer"],
    run: async (args) => {
      sizeThreadPool();
      const settings = settingsOf(args, ["environment", "databaseUrl", "keyFile"]);
      const { socket } = settings.signing;
      if (socket === "" || settings.keyFile === "")
        throw new UsageError(
          "Set TOLLGATE_SIGNER_SOCKET and TOLLGATE_KEY_FILE. docs/operating/settings.md describes them.",
        );
      const { startSigner } = await import("./signer.ts");
      await runUntilSignal(
        `Tollgate signs for ${settings.environment} at ${socket}`,
        await startSigner(settings),
      );
    },
  },
  migrate: {
    requiredRole: "owner",
    summary: "Apply pending migrations to the database",
    description: `Run it before the new release's processes start; the old ones continue meanwhile. ${ownerSettingsHelp}`,
    options: {
      wait: {
        value: "SECONDS",
        summary: "Seconds to wait for a database that does not answer yet (default 0)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate migrate", "tollgate migrate --wait 60"],
    run: async (args) => {
      const { migrate } = await import("../postgres/migrate.ts");
      const { url, environment } = operatorOf(args);
      const waitSeconds = parseWholeNumber(args, "wait", [1, 3_600]);
      if (waitSeconds !== undefined) {
        const { waitForDatabase } = await import("./wait-for-database.ts");
        await waitForDatabase(url, waitSeconds);
      }
      const applied = await migrate(url, environment);
      printResult(args, { applied }, applied.length === 0 ? "up to date" : applied.join("\n"));
    },
  },
  "gateway-key add": {
    requiredRole: "admin",
    auditLabel: { english: "Created a gateway key", chinese: "生成网关密钥" },
    requiresApproval: true,
    summary: "Create the gateway's next key pair",
    description:
      "An RSA pair, and an Ed25519 pair for providers whose own key is Ed25519. Merchants and providers stay with the key to which\n" +
      "they are pinned. The private halves are wrapped by the key in TOLLGATE_KEY_FILE, and never leave the database\n" +
      `unwrapped. ${ownerSettingsHelp}`,
    options: {
      "held-as": {
        value: "NAME",
        summary: "Name of a key in an HSM or Vault; its Ed25519 key is NAME-ed25519",
      },
      "public-key": { value: "FILE", summary: "With --held-as: its public RSA key, PEM" },
      "ed25519-public-key": {
        value: "FILE",
        summary: "With --held-as: its public Ed25519 key, PEM (optional)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate gateway-key add",
      "tollgate gateway-key add --held-as tollgate-live-3 --public-key rsa.pem --ed25519-public-key ed25519.pem",
    ],
    run: async (args) => {
      const version = await addKey(args);
      printResult(args, { version }, `gateway key version ${version}`);
    },
  },
  "gateway-key list": {
    requiredRole: "support",
    summary: "List the gateway's keys by version",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate gateway-key list"],
    run: async (args) => {
      const { findGatewayKeys, gatewayKeyTable } = await loadGatewayKeyModule();
      const keys = await findGatewayKeys(operatorOf(args));
      printResult(args, keys, gatewayKeyTable(keys));
    },
  },
  "gateway-key show": {
    requiredRole: "support",
    summary: "Print the public half of a gateway key as PEM, for merchants and providers",
    description: ownerSettingsHelp,
    options: {
      version: { value: "N", summary: "Version (default the newest)" },
      algorithm: {
        value: "WHICH",
        summary: "RSA256 for merchants; Ed25519 for providers with such a key (default RSA256)",
        oneOf: ["RSA256", "Ed25519"],
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate gateway-key show > gateway-public.pem",
      "tollgate gateway-key show --version 1 --algorithm Ed25519",
    ],
    run: showGatewayKey,
  },
};

async function addKey(args: CommandArguments): Promise<number> {
  const { addGatewayKey, addHeldKey } = await loadGatewayKeyModule();
  const heldAs = args.value("held-as");
  const publicKeyFile = args.value("public-key");
  if ((heldAs === undefined) !== (publicKeyFile === undefined))
    throw new UsageError("--held-as and --public-key come together.");
  if (heldAs !== undefined && publicKeyFile !== undefined) {
    const ed25519PublicKeyFile = args.value("ed25519-public-key");
    return addHeldKey(operatorOf(args), { heldAs, publicKeyFile, ed25519PublicKeyFile });
  }
  const settings = settingsOf(args, ["environment", "ownerDatabaseUrl", "keyFile"]);
  return addGatewayKey(settings.ownerDatabaseUrl, settings.environment, settings.keyFile, readActor(args));
}

async function showGatewayKey(args: CommandArguments): Promise<void> {
  const { findGatewayKeys, selectPublicKey } = await loadGatewayKeyModule();
  const keys = await findGatewayKeys(operatorOf(args));
  const version = parseWholeNumber(args, "version", [0, 2 ** 31 - 1]);
  const gatewayKey = version === undefined ? keys.at(-1) : keys.find((key) => key.version === version);
  const versions = keys.map((key) => key.version).join(", ") || "none";
  if (!gatewayKey) throw new Error(`This gateway key does not exist. The versions are: ${versions}.`);
  const algorithm = args.value("algorithm") === "Ed25519" ? "Ed25519" : "RSA256";
  const { version: shownVersion, createdAt } = gatewayKey;
  const publicKey = selectPublicKey(gatewayKey, algorithm);
  printResult(args, { version: shownVersion, algorithm, publicKey, createdAt }, publicKey.trimEnd());
}

function metricsSuffix({ metricsUrl }: { readonly metricsUrl: string | undefined }): string {
  return metricsUrl === undefined ? "" : `, metrics at ${metricsUrl}/metrics`;
}

/** A process that runs until it gets a signal. */
interface RunningProcess {
  reload?(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the process until a signal arrives, and then shuts it down in order. SIGHUP, which would end the process by
 * default, reloads the certificate.
 */
export async function runUntilSignal(readyMessage: string, running: RunningProcess): Promise<void> {
  process.on("SIGHUP", () => void reload(running));
  process.stderr.write(`${readyMessage}\n`);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve(name));
  });
  process.stderr.write(`${signal}: completing open work, then exiting.\n`);
  await running.stop();
}

async function reload(running: RunningProcess): Promise<void> {
  try {
    await running.reload?.();
    process.stderr.write("SIGHUP: the certificate, if any, is reloaded; nothing else changes.\n");
  } catch (error) {
    process.stderr.write(`SIGHUP: the certificate was not changed. ${formatError(error)}\n`);
  }
}
