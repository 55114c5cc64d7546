import { openDatabase, systemScope, type Database } from "../postgres/database.ts";
import { preflight } from "../postgres/preflight.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import { listConnectors } from "../wallets/connector.sql.ts";
import { openAccountsKeys } from "./accounts-keys.ts";
import { inWords } from "./in-words.ts";
import { liveConnectorProblems, liveProblems } from "./live-rules.ts";
import { openSigning } from "./open-signing.ts";
import { checkStaffLogin } from "./open-staff-desk.ts";
import type { Settings } from "./settings.ts";

/** Why a process would refuse to start, or could not, and what to do about it. */
export interface Problem {
  readonly problem: string;
  readonly whatToDo: string;
}

/** All that can be found without starting. What needs the database is not asked of one that is refused. */
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
    "Make it as docs/operating/install.md says under Key file, or name another one in TOLLGATE_KEY_FILE.",
  );
  const ofDatabase = await tried(
    () => preflight(databaseUrl, environment, warn),
    "Compare its roles and rights with docs/operating/install.md, Roles and databases; deploy/postgres/roles.sql makes them.",
    "Start PostgreSQL, or correct TOLLGATE_DATABASE_URL.",
  );
  const isOpen = ofKeyFile.length === 0 && ofDatabase.length === 0;
  return [...ofSettings, ...ofStaff, ...ofKeyFile, ...ofDatabase, ...(isOpen ? await inside(settings) : [])];
}

/** Problems of the settings that only `serve-staff` has: its login, and the keys of accounts. */
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

/** What only the database's rows tell. */
async function inside(settings: Settings): Promise<readonly Problem[]> {
  const { databaseUrl: url, environment } = settings;
  const background = { applicationName: "tollgate preflight", connectionsMax: 1, onFault: () => undefined };
  const database = openDatabase({ url, ...background });
  try {
    const ofKeys = await tried(
      () => keyProblems(database, settings),
      `Run \`gateway-key add --environment ${environment}\` if there is none yet; otherwise name the file that these keys were made with in TOLLGATE_KEY_FILE. With TOLLGATE_SIGNER_SOCKET, start \`tollgate signer\` before.`,
    );
    const ofWallets = await tried(
      async () => liveConnectorProblems(settings, await listConnectors(database.reader(systemScope))),
      "Give it its own address with `connector set`, or take it away.",
    );
    return [...ofKeys, ...ofWallets];
  } finally {
    await database.close();
  }
}

/** With a signer in a process of its own there is none. */
async function keyFileProblems({ keyFile, signing }: Settings): Promise<readonly string[]> {
  if (signing.socket === "") await readWrappingKeys(keyFile, signing.oldKeyFile);
  return [];
}

/** Opens every key, as `serve` does: another key file than the one that wrapped them opens none. */
async function keyProblems(database: Database, settings: Settings): Promise<readonly string[]> {
  const tx = database.reader(systemScope);
  const signing = await openSigning({ settings, tx, onChange: () => undefined });
  signing.close();
  return [];
}

/** A fault is a problem as well, in its own words. */
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
