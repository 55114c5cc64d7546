import { UsageError, type Commands, type Given } from "./command.ts";
import { inWords } from "./in-words.ts";
import { byOf, jsonOption, operatorOf, operatorOptions, ownersSettings, settingsOf } from "./operator.ts";
import { checkSettings, type Settings } from "./settings.ts";
import { show } from "./show.ts";
import { staffSettingNames } from "./staff-settings.ts";
import { wholeNumber } from "./whole-number.ts";
import { sizeThreadPool } from "./thread-pool.ts";

/** What both kinds of process are set up with. docs/operating/settings.md has all of it. */
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
  "SIGTERM ends it, once what was begun is done; SIGHUP makes `serve` read its certificate anew. In live start it with `node --disable-sigusr1`, see docs/operating/install.md.";

const gatewayKeys = (): Promise<typeof import("./gateway-key.ts")> => import("./gateway-key.ts");

/** Commands that run the gateway, and those that prepare it: the database and the gateway's own keys. */
export const processCommands: Commands = {
  serve: {
    does: "answer merchants",
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
    does: "do what is due: wallets, expiries, notifications",
    about: settingsOfProcesses,
    options: {
      only: {
        value: "WHICH",
        does: "one kind of job alone: wallets or notifications",
        oneOf: ["wallets", "notifications"],
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
    does: "hold the private keys in a process of its own, and sign for `serve` and `work` of this machine",
    about:
      "It listens on the Unix socket in TOLLGATE_SIGNER_SOCKET, mode 0660: whoever is in its group may have things signed. `serve` and `work` with that\n" +
      "variable have no private key, and no TOLLGATE_KEY_FILE. It needs that file, TOLLGATE_ENVIRONMENT and TOLLGATE_DATABASE_URL. See docs/operating/signer.md.",
    options: operatorOptions,
    examples: ["tollgate signer"],
    run: async (given) => {
      sizeThreadPool();
      const settings = settingsOf(given, ["environment", "databaseUrl", "keyFile"]);
      const { socket } = settings.signing;
      if (socket === "" || settings.keyFile === "")
        throw new UsageError(
          "Set TOLLGATE_SIGNER_SOCKET and TOLLGATE_KEY_FILE. docs/operating/settings.md says to what.",
        );
      const { startSigner } = await import("./signer.ts");
      await untilTold(`Tollgate signs for ${settings.environment} at ${socket}`, await startSigner(settings));
    },
  },
  migrate: {
    needs: "owner",
    does: "bring the database up to date",
    about: `Before the new release's processes are started; the old ones go on meanwhile. ${ownersSettings}`,
    options: {
      wait: {
        value: "SECONDS",
        does: "how long to wait for a database that does not answer yet; not at all, unless given",
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
        const { untilAnswers } = await import("./until-answers.ts");
        await untilAnswers(url, waitSeconds);
      }
      const applied = await migrate(url, environment);
      show(given, { applied }, applied.length === 0 ? "up to date" : applied.join("\n"));
    },
  },
  "gateway-key add": {
    needs: "admin",
    acts: true,
    takesTwo: true,
    does: "make the gateway's next key pair",
    about:
      "A pair of RSA, and one of Ed25519 for wallets whose own key is of that kind. Merchants and wallets stay with the one that\n" +
      "they are pinned to. The private halves are wrapped by the key in TOLLGATE_KEY_FILE, and never leave the database\n" +
      `unwrapped. ${ownersSettings}`,
    options: {
      "held-as": {
        value: "NAME",
        does: "a key that an HSM or Vault has under this name; that of Ed25519 is NAME-ed25519",
      },
      "public-key": { value: "FILE", does: "with --held-as: its public half of RSA, PEM" },
      "ed25519-public-key": { value: "FILE", does: "with --held-as: that of Ed25519, PEM; may be left out" },
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
    does: "the gateway's keys, by version",
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
    does: "the public half of a gateway key, as PEM, for merchants and wallets",
    about: ownersSettings,
    options: {
      version: { value: "N", does: "which; the newest, unless said otherwise" },
      algorithm: {
        value: "WHICH",
        does: "RSA256, as merchants have it, unless said otherwise; Ed25519 for wallets whose own key is of that kind",
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
  return addGatewayKey(settings.ownerDatabaseUrl, settings.environment, settings.keyFile, byOf(given));
}

async function showGatewayKey(given: Given): Promise<void> {
  const { findGatewayKeys, publicHalf } = await gatewayKeys();
  const all = await findGatewayKeys(operatorOf(given));
  const version = wholeNumber(given, "version", [0, 2 ** 31 - 1]);
  const found = version === undefined ? all.at(-1) : all.find((key) => key.version === version);
  const versions = all.map((key) => key.version).join(", ") || "none";
  if (!found) throw new Error(`There is no such gateway key; the versions are: ${versions}.`);
  const algorithm = given.value("algorithm") === "Ed25519" ? "Ed25519" : "RSA256";
  const { version: shownVersion, createdAt } = found;
  const publicKey = publicHalf(found, algorithm);
  show(given, { version: shownVersion, algorithm, publicKey, createdAt }, publicKey.trimEnd());
}

function metricsAt({ metricsUrl }: { readonly metricsUrl: string | undefined }): string {
  return metricsUrl === undefined ? "" : `, metrics at ${metricsUrl}/metrics`;
}

/** Something that runs until it is told to leave. */
interface Running {
  reload?(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs until a signal comes, and then leaves in order. SIGHUP, which would end it, reloads what can be reloaded. */
export async function untilTold(ready: string, running: Running): Promise<void> {
  process.on("SIGHUP", () => void reload(running));
  process.stderr.write(`${ready}\n`);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve(name));
  });
  process.stderr.write(`${signal}: bringing what was begun to its end, then leaving.\n`);
  await running.stop();
}

async function reload(running: Running): Promise<void> {
  try {
    await running.reload?.();
    process.stderr.write(
      "SIGHUP: the certificate, if there is one, is read anew; all else goes on as it was.\n",
    );
  } catch (error) {
    process.stderr.write(`SIGHUP: the certificate stays as it was. ${inWords(error)}\n`);
  }
}
