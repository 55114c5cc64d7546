import { openDatabase, systemScope, type Database } from "../postgres/database.ts";
import { preflight } from "../postgres/preflight.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import { listConnectors } from "../providers/connector.sql.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import { inWords } from "../operators/framework/format-error.ts";
import { liveConnectorProblems, liveProblems } from "../settings/live-rules.ts";
import { openSigning } from "./open-signing.ts";
import { checkStaffLogin } from "./open-staff-routes.ts";
import type { Settings } from "../settings/settings.ts";

/** Why a process would refuse or fail to start, and how to fix it. */
export interface Problem {
  readonly problem: string;
  readonly whatToDo: string;
}

/**
 * Finds all problems that can be found without starting the process. If the settings are rejected, the database is not
 * checked.
 */
export async function findProblems(
  settings: Settings,
  kind: "gateway" | "staff" = "gateway",
  warn: (warning: string) => void = () => undefined,
): Promise<readonly Problem[]> {
  const { databaseUrl, environment } = settings;
  const processes = kind === "staff" ? "`serve-staff`" : "`serve` and `work`";
  const ofSettings = told(liveProblems(settings, kind), `Change it in the settings of ${processes}.`);
  const ofStaff = kind === "staff" ? await staffProblems(settings) : [];
  const ofKeyFile = await tried(
    () => keyFileProblems(settings),
    "Create it as docs/operating/install.md describes under Key file, or name another one in TOLLGATE_KEY_FILE.",
  );
  const ofDatabase = await tried(
    () => preflight(databaseUrl, environment, warn),
    "Compare its roles and privileges with docs/operating/install.md, Roles and databases; deploy/postgres/roles.sql creates them.",
    "Start PostgreSQL, or correct TOLLGATE_DATABASE_URL.",
  );
  const isOpen = ofKeyFile.length === 0 && ofDatabase.length === 0;
  return [...ofSettings, ...ofStaff, ...ofKeyFile, ...ofDatabase, ...(isOpen ? await inside(settings) : [])];
}

/** Finds problems of the settings that only `serve-staff` has: its login, and the keys of the accounts service. */
async function staffProblems({ environment, staff }: Settings): Promise<readonly Problem[]> {
  const ofLogin = await tried(
    () => checkStaffLogin(staff.databaseUrl, environment),
    "Give TOLLGATE_STAFF_DATABASE_URL a login with the role tollgate_console, as docs/operating/console.md says.",
  );
  const ofKeys = await tried(async () => {
    await openAccountsKeys(staff.accountsKeysFile);
  }, "Copy the public keys of accounts to a file that the process may read, and name it in TOLLGATE_ACCOUNTS_KEYS_FILE.");
  return [...ofLogin, ...ofKeys];
}

/** Problems that only the database's rows show. */
async function inside(settings: Settings): Promise<readonly Problem[]> {
  const { databaseUrl: url, environment } = settings;
  const background = { applicationName: "tollgate preflight", connectionsMax: 1, onFault: () => undefined };
  const database = openDatabase({ url, ...background });
  try {
    const ofKeys = await tried(
      () => keyProblems(database, settings),
      `Run \`gateway-key add --environment ${environment}\` if there is none yet; otherwise name the file with which these keys were wrapped in TOLLGATE_KEY_FILE. With TOLLGATE_SIGNER_SOCKET, start \`tollgate signer\` first.`,
    );
    const ofProviders = await tried(
      async () => liveConnectorProblems(settings, await listConnectors(database.reader(systemScope))),
      "Set its own address with `connector set`, or remove the connector.",
    );
    return [...ofKeys, ...ofProviders];
  } finally {
    await database.close();
  }
}

/** Finds problems of the key file. A process that uses a separate signer process has no key file. */
async function keyFileProblems({ keyFile, signing }: Settings): Promise<readonly string[]> {
  if (signing.socket === "") await readWrappingKeys(keyFile, signing.oldKeyFile);
  return [];
}

/**
 * Finds problems of the keys. It decrypts every key, as `serve` does: with a wrong key file no key can be decrypted.
 */
async function keyProblems(database: Database, settings: Settings): Promise<readonly string[]> {
  const tx = database.reader(systemScope);
  const signing = await openSigning({ settings, tx, onChange: () => undefined });
  signing.close();
  return [];
}

/** Runs a check. A fault of the check is a problem as well, with its own message. */
async function tried(
  find: () => Promise<readonly string[] | void>,
  whatToDo: string,
  onFault = whatToDo,
): Promise<readonly Problem[]> {
  try {
    return told((await find()) ?? [], whatToDo);
  } catch (error) {
    return told([inWords(error)], onFault);
  }
}

function told(problems: readonly string[], whatToDo: string): readonly Problem[] {
  return problems.map((problem) => ({ problem, whatToDo }));
}
