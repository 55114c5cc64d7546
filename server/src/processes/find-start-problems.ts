import { openDatabase, systemScope, type Database } from "../postgres/database.ts";
import { runPreflight } from "../postgres/preflight.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import { listConnectors } from "../providers/connector.sql.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import { formatError } from "../operators/framework/format-error.ts";
import { liveConnectorProblems, liveProblems } from "../settings/live-rules.ts";
import { openSigning } from "./open-signing.ts";
import { checkStaffLogin } from "./open-staff-routes.ts";
import type { Settings } from "../settings/settings.ts";

/** Why a process would refuse or fail to start, and how to fix it. */
export interface StartProblem {
  readonly problem: string;
  readonly whatToDo: string;
}

/**
 * Finds all problems that can be found without starting the process. If the settings are rejected, the database is not
 * checked.
 */
export async function findStartProblems(
  settings: Settings,
  kind: "gateway" | "staff" = "gateway",
  warn: (warning: string) => void = () => undefined,
): Promise<readonly StartProblem[]> {
  const { databaseUrl, environment } = settings;
  const processes = kind === "staff" ? "`serve-staff`" : "`serve` and `work`";
  const settingsProblems = toProblems(
    liveProblems(settings, kind),
    `Change it in the settings of ${processes}.`,
  );
  const staffProblems = kind === "staff" ? await findStaffProblems(settings) : [];
  const keyFileProblems = await runCheck(
    () => findKeyFileProblems(settings),
    "Create it as docs/operating/install.md describes under Key file, or name another one in TOLLGATE_KEY_FILE.",
  );
  const databaseProblems = await runCheck(
    () => runPreflight(databaseUrl, environment, warn),
    "Compare its roles and privileges with docs/operating/install.md, Roles and databases; deploy/postgres/roles.sql creates them.",
    "Start PostgreSQL, or correct TOLLGATE_DATABASE_URL.",
  );
  const canOpenDatabase = keyFileProblems.length === 0 && databaseProblems.length === 0;
  return [
    ...settingsProblems,
    ...staffProblems,
    ...keyFileProblems,
    ...databaseProblems,
    ...(canOpenDatabase ? await findRowProblems(settings) : []),
  ];
}

/** Finds problems of the settings that only `serve-staff` has: its login, and the keys of the accounts service. */
async function findStaffProblems({ environment, staff }: Settings): Promise<readonly StartProblem[]> {
  const loginProblems = await runCheck(
    () => checkStaffLogin(staff.databaseUrl, environment),
    "Give TOLLGATE_STAFF_DATABASE_URL a login with the role tollgate_console, as docs/operating/console.md says.",
  );
  const accountsKeysProblems = await runCheck(async () => {
    await openAccountsKeys(staff.accountsKeysFile);
  }, "Copy the public keys of accounts to a file that the process may read, and name it in TOLLGATE_ACCOUNTS_KEYS_FILE.");
  return [...loginProblems, ...accountsKeysProblems];
}

/** Problems that only the database's rows show. */
async function findRowProblems(settings: Settings): Promise<readonly StartProblem[]> {
  const { databaseUrl: url, environment } = settings;
  const background = { applicationName: "tollgate preflight", connectionsMax: 1, onFault: () => undefined };
  const database = openDatabase({ url, ...background });
  try {
    const keyProblems = await runCheck(
      () => findKeyProblems(database, settings),
      `Run \`gateway-key add --environment ${environment}\` if there is none yet; otherwise name the file with which these keys were wrapped in TOLLGATE_KEY_FILE. With TOLLGATE_SIGNER_SOCKET, start \`tollgate signer\` first.`,
    );
    const connectorProblems = await runCheck(
      async () => liveConnectorProblems(settings, await listConnectors(database.reader(systemScope))),
      "Set its own address with `connector set`, or remove the connector.",
    );
    return [...keyProblems, ...connectorProblems];
  } finally {
    await database.close();
  }
}

/** Finds problems of the key file. A process that uses a separate signer process has no key file. */
async function findKeyFileProblems({ keyFile, signing }: Settings): Promise<readonly string[]> {
  if (signing.socket === "") await readWrappingKeys(keyFile, signing.oldKeyFile);
  return [];
}

/**
 * Finds problems of the keys. It decrypts every key, as `serve` does: with a wrong key file no key can be decrypted.
 */
async function findKeyProblems(database: Database, settings: Settings): Promise<readonly string[]> {
  const tx = database.reader(systemScope);
  const signing = await openSigning({ settings, tx, onChange: () => undefined });
  signing.close();
  return [];
}

/** Runs a check. A fault of the check is a problem as well, with its own message. */
async function runCheck(
  find: () => Promise<readonly string[] | void>,
  whatToDo: string,
  onFault = whatToDo,
): Promise<readonly StartProblem[]> {
  try {
    return toProblems((await find()) ?? [], whatToDo);
  } catch (error) {
    return toProblems([formatError(error)], onFault);
  }
}

function toProblems(problems: readonly string[], whatToDo: string): readonly StartProblem[] {
  return problems.map((problem) => ({ problem, whatToDo }));
}
