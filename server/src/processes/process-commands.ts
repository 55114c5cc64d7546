import type { Commands, Given } from "../operators/framework/command.ts";
import { UsageError } from "../core/command-errors.ts";
import { inWords } from "../operators/framework/format-error.ts";
import {
  readActor,
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  settingsOf,
} from "../operators/framework/operator.ts";
import { checkSettings, type Settings } from "../settings/settings.ts";
import { show } from "../operators/framework/show.ts";
import { staffSettingNames } from "../settings/staff-settings.ts";
import { wholeNumber } from "../operators/framework/whole-number.ts";
import { sizeThreadPool } from "./thread-pool.ts";

/** Settings of both `serve` and `work`. docs/operating/settings.md lists all settings. */
const ofBoth = [
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
const ofServe = [
  ...ofBoth,
  "port",
  "tls",
  "trustedProxies",
  "requestLogMegabytes",
  "drainSeconds",
  "consoleAudience",
  "consoleOrigins",
] as const;

const ofStaff = [
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

const settingsOfProcesses =
  "It needs TOLLGATE_ENVIRONMENT, TOLLGATE_DATABASE_URL and TOLLGATE_KEY_FILE; docs/operating/settings.md has all settings.\n" +
  "SIGTERM stops it after open requests and jobs are done; SIGHUP reloads the certificate of `serve`. In live start it with `node --disable-sigusr1`, see docs/operating/install.md.";

const gatewayKeys = (): Promise<typeof import("../operators/providers/gateway-key.ts")> =>
  import("../operators/providers/gateway-key.ts");

/** Commands that run the gateway, and those that prepare it: the database and the gateway's own keys. */
export const processCommands: Commands = {
  serve: {
    does: "Serve API requests, checkout pages and provider callbacks",
    about: settingsOfProcesses,
    options: operatorOptions,
    examples: ["tollgate serve", "tollgate serve --environment sandbox"],
    run: async (given) => {
      sizeThreadPool();
      const settings = settingsOf(given, ofServe);
      const { serve } = await import("./serve.ts");
      const serving = await serve(settings);
      await untilTold(
        `Tollgate serves ${settings.environment} at ${serving.url}${metricsAt(serving)}`,
        serving,
      );
    },
  },
  "serve-staff": {
    does: "Serve the operator console's API to staff",
    about:
      "It alone holds the login of the operator console. Run it on a network that only staff reach. It needs TOLLGATE_ENVIRONMENT,\n" +
      "TOLLGATE_DATABASE_URL, TOLLGATE_KEY_FILE or TOLLGATE_SIGNER_SOCKET, TOLLGATE_STAFF_DATABASE_URL, TOLLGATE_STAFF_ORIGINS and\n" +
      "TOLLGATE_ACCOUNTS_KEYS_FILE. See docs/operating/console.md. SIGTERM stops it when open requests are answered; SIGHUP reloads its\n" +
      "certificate. In live start it with `node --disable-sigusr1`.",
    options: operatorOptions,
    examples: ["tollgate serve-staff", "tollgate serve-staff --environment sandbox"],
    run: async (given) => {
      sizeThreadPool();
      const settings = settingsOf(given, ofStaff);
      checkSettings(settings.staff, staffSettingNames);
      const { serveStaff } = await import("./serve-staff.ts");
      const serving = await serveStaff(settings);
      const { environment } = settings;
      await untilTold(
        `Tollgate serves ${environment} to staff at ${serving.url}${metricsAt(serving)}`,
        serving,
      );
    },
  },
  work: {
    does: "Run due jobs: payment providers, expiries, webhooks",
    about: settingsOfProcesses,
    options: {
      only: {
        value: "WHICH",
        does: "Run only one kind of job: providers or notifications",
        oneOf: ["providers", "notifications"],
      },
      ...operatorOptions,
    },
    examples: ["tollgate work", "tollgate work --only notifications"],
    run: async (given) => {
      sizeThreadPool();
      const settings = settingsOf(given, ofBoth);
      const { work, workKinds } = await import("./work.ts");
      const only = workKinds.find((kind) => kind === given.value("only"));
      const working = await work(settings, { ...(only && { only }) });
      await untilTold(`Tollgate works for ${settings.environment}${metricsAt(working)}`, working);
    },
  },
  signer: {
    does: "Sign for `serve` and `work` of this machine in a separate process",
    about:
      "It listens on the Unix socket in TOLLGATE_SIGNER_SOCKET, mode 0660: processes of its group may have messages signed. `serve` and `work` with that\n" +
      "variable have no private key, and no TOLLGATE_KEY_FILE. It needs that file, TOLLGATE_ENVIRONMENT and TOLLGATE_DATABASE_URL. See docs/operating/signer.md.",
    options: operatorOptions,
    examples: ["tollgate signer"],
    run: async (given) => {
      sizeThreadPool();
      const settings = settingsOf(given, ["environment", "databaseUrl", "keyFile"]);
      const { socket } = settings.signing;
      if (socket === "" || settings.keyFile === "")
        throw new UsageError(
          "Set TOLLGATE_SIGNER_SOCKET and TOLLGATE_KEY_FILE. docs/operating/settings.md describes them.",
        );
      const { startSigner } = await import("./signer.ts");
      await untilTold(`Tollgate signs for ${settings.environment} at ${socket}`, await startSigner(settings));
    },
  },
  migrate: {
    needs: "owner",
    does: "Apply pending migrations to the database",
    about: `Run it before the new release's processes start; the old ones continue meanwhile. ${ownersSettings}`,
    options: {
      wait: {
        value: "SECONDS",
        does: "Seconds to wait for a database that does not answer yet (default 0)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate migrate", "tollgate migrate --wait 60"],
    run: async (given) => {
      const { migrate } = await import("../postgres/migrate.ts");
      const { url, environment } = operatorOf(given);
      const waitSeconds = wholeNumber(given, "wait", [1, 3_600]);
      if (waitSeconds !== undefined) {
        const { waitForDatabase } = await import("./wait-for-database.ts");
        await waitForDatabase(url, waitSeconds);
      }
      const applied = await migrate(url, environment);
      show(given, { applied }, applied.length === 0 ? "up to date" : applied.join("\n"));
    },
  },
  "gateway-key add": {
    needs: "admin",
    acts: { english: "Created a gateway key", chinese: "生成网关密钥" },
    requiresApproval: true,
    does: "Create the gateway's next key pair",
    about:
      "An RSA pair, and an Ed25519 pair for providers whose own key is Ed25519. Merchants and providers stay with the key to which\n" +
      "they are pinned. The private halves are wrapped by the key in TOLLGATE_KEY_FILE, and never leave the database\n" +
      `unwrapped. ${ownersSettings}`,
    options: {
      "held-as": {
        value: "NAME",
        does: "Name of a key in an HSM or Vault; its Ed25519 key is NAME-ed25519",
      },
      "public-key": { value: "FILE", does: "With --held-as: its public RSA key, PEM" },
      "ed25519-public-key": { value: "FILE", does: "With --held-as: its public Ed25519 key, PEM (optional)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate gateway-key add",
      "tollgate gateway-key add --held-as tollgate-live-3 --public-key rsa.pem --ed25519-public-key ed25519.pem",
    ],
    run: async (given) => {
      const version = await addKey(given);
      show(given, { version }, `gateway key version ${version}`);
    },
  },
  "gateway-key list": {
    needs: "support",
    does: "List the gateway's keys by version",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate gateway-key list"],
    run: async (given) => {
      const { findGatewayKeys, gatewayKeyTable } = await gatewayKeys();
      const found = await findGatewayKeys(operatorOf(given));
      show(given, found, gatewayKeyTable(found));
    },
  },
  "gateway-key show": {
    needs: "support",
    does: "Print the public half of a gateway key as PEM, for merchants and providers",
    about: ownersSettings,
    options: {
      version: { value: "N", does: "Version (default the newest)" },
      algorithm: {
        value: "WHICH",
        does: "RSA256 for merchants; Ed25519 for providers with such a key (default RSA256)",
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

async function addKey(given: Given): Promise<number> {
  const { addGatewayKey, addHeldKey } = await gatewayKeys();
  const heldAs = given.value("held-as");
  const publicKeyFile = given.value("public-key");
  if ((heldAs === undefined) !== (publicKeyFile === undefined))
    throw new UsageError("--held-as and --public-key come together.");
  if (heldAs !== undefined && publicKeyFile !== undefined) {
    const ed25519PublicKeyFile = given.value("ed25519-public-key");
    return addHeldKey(operatorOf(given), { heldAs, publicKeyFile, ed25519PublicKeyFile });
  }
  const settings = settingsOf(given, ["environment", "ownerDatabaseUrl", "keyFile"]);
  return addGatewayKey(settings.ownerDatabaseUrl, settings.environment, settings.keyFile, readActor(given));
}

async function showGatewayKey(given: Given): Promise<void> {
  const { findGatewayKeys, publicHalf } = await gatewayKeys();
  const all = await findGatewayKeys(operatorOf(given));
  const version = wholeNumber(given, "version", [0, 2 ** 31 - 1]);
  const found = version === undefined ? all.at(-1) : all.find((key) => key.version === version);
  const versions = all.map((key) => key.version).join(", ") || "none";
  if (!found) throw new Error(`This gateway key does not exist. The versions are: ${versions}.`);
  const algorithm = given.value("algorithm") === "Ed25519" ? "Ed25519" : "RSA256";
  const { version: shownVersion, createdAt } = found;
  const publicKey = publicHalf(found, algorithm);
  show(given, { version: shownVersion, algorithm, publicKey, createdAt }, publicKey.trimEnd());
}

function metricsAt({ metricsUrl }: { readonly metricsUrl: string | undefined }): string {
  return metricsUrl === undefined ? "" : `, metrics at ${metricsUrl}/metrics`;
}

/** A process that runs until it gets a signal. */
interface Running {
  reload?(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the process until a signal arrives, and then shuts it down in order. SIGHUP, which would end the process by
 * default, reloads the certificate.
 */
export async function untilTold(ready: string, running: Running): Promise<void> {
  process.on("SIGHUP", () => void reload(running));
  process.stderr.write(`${ready}\n`);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve(name));
  });
  process.stderr.write(`${signal}: completing open work, then exiting.\n`);
  await running.stop();
}

async function reload(running: Running): Promise<void> {
  try {
    await running.reload?.();
    process.stderr.write("SIGHUP: the certificate, if any, is reloaded; nothing else changes.\n");
  } catch (error) {
    process.stderr.write(`SIGHUP: the certificate was not changed. ${inWords(error)}\n`);
  }
}
